"""From the events of a check to what is said of the code: a set of findings that explains them.

Each finding explains an answer that is wrong, and together they explain all of them. Where some
rest stays, it is said that there is one; where nothing explains anything, no misconception is
named.
"""

import functools
import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from autograder.checking.comparing import finite
from autograder.checking.events import Event, Log, Reason
from autograder.diagnosis.candidates import Known
from autograder.diagnosis.explaining import (
    LIKELY,
    Bearing,
    Candidate,
    Finding,
    Kept,
    Match,
    Place,
    Rerun,
    Students,
    covering,
    mostly_explained,
    of_numbers,
)
from autograder.diagnosis.findings import Fact, drawn_sentence
from autograder.diagnosis.plain import Statement, plain, right_all_the_same
from autograder.diagnosis.set_aside import DIGITS, SetAside, set_aside
from autograder.diagnosis.varied import (
    gives_a_wrong_answer,
    gives_one_result,
    gives_the_error,
    gives_the_wrong_answer,
    holds_up,
    holds_up_where_large,
    mostly_holds_up,
    only_wrong_result,
    partly_holds_up,
)
from autograder.diagnosis.where import Calls
from autograder.remote.calling import tensors

TIERS = (math.inf, LIKELY, 0.5, 0.0)  # of misconceptions, by how likely they are
SIFTED = 6  # what it costs to ask a changed reference one thing, in events
SLIPS = 4500  # events for all of them
VALUES_STAY = {"slip.cut-off", "slip.precision", "slip.wiped", "slip.no-slope"}


@dataclass(frozen=True)
class Look:
    """What can be told from the student's calls, and by further ones, where it is asked for."""

    fact: Callable[[], Fact | None]
    part: Callable[[], Finding | None]
    calls: Callable[[], Calls]


TOGETHER = "These are the answers that two mistakes together give. "


def joined(sentences: Iterable[str]) -> str:
    """All of them, each once: two findings may say the same."""
    return " And: ".join(dict.fromkeys(sentences))


@dataclass(frozen=True)
class Diagnosis:
    """What is said, the wrong answer that is shown with it, and one that it does not explain."""

    findings: tuple[Finding, ...]
    shown: Event
    rest: Event | None = None
    lead: str = ""

    @property
    def key(self) -> str:
        return " + ".join(finding.key for finding in self.findings)

    @property
    def sentence(self) -> str:
        told = f"{self.lead}{joined(finding.sentence for finding in self.findings)}"
        return f"{told} Something else is wrong, too: {self.rest.text}" if self.rest else told


class Budget:
    """How much of the search one strategy may take, in events of the check.

    Not seconds: the same answer gets the same sentence on a slow machine and on a quick one.
    """

    def __init__(self, events: int) -> None:
        self._left = events

    def of(self, tried: Iterable[Candidate]) -> Iterator[Candidate]:
        """Those that may be tried: what each one costs is known when the next is asked for."""
        for candidate in tried:
            if self._left <= 0:
                return
            yield candidate
            self._left -= candidate.cost


@dataclass
class Search:
    """What the strategies share: a student's events, what is known, and how a change is run."""

    known: Known
    students: Students
    run: Rerun
    look: Look
    log: Log

    @functools.cached_property
    def aside(self) -> SetAside:
        """The events without faults that speak for themselves."""
        return set_aside(self.log, self.known.exercise.name)

    @functools.cached_property
    def rest(self) -> Students:
        """What remains to be explained beside such faults."""
        return Students(self.aside.rest)

    def matches(self, students: Students) -> list[Match]:
        """The known misconceptions that may be named for what they explain."""
        matches = list(self._consistent(students))
        return [match for match in matches if not (match.is_vague and match.is_one_of(matches))]

    def _consistent(self, students: Students, part: str | None = None) -> Iterator[Match]:
        """The known misconceptions that explain something and that nothing speaks against.

        Or those of one earlier exercise, which is used inside, that explain all.
        """
        for one in self.known.misconceptions:
            asked = part is None or one.findings[0].part == part
            if asked and (match := one.match(students, self.run, whole=part is not None)):
                yield match

    @functools.cached_property
    def chosen(self) -> list[Match]:
        """Few of them that explain as much as can be of what is left without such faults."""
        return covering(self.rest, self.matches(self.rest))

    def first_to_explain(self, tried: Iterable[Candidate], students: Students) -> Match | None:
        """The first that explains every wrong answer."""
        for one in tried:
            match = one.match(students, self.run, whole=True)
            if not match or not match.places >= students.places or not _evident(match, students):
                continue
            if not all(each.sentence for each in match.candidate.findings):
                continue  # there are no words for it that would tell something
            part = match.candidate.findings[0].part
            if match.is_vague and match.is_one_of(self._consistent(students, part)):
                continue
            if self._is_no_chance(match):
                return match
        return None

    def _is_no_chance(self, match: Match) -> bool:
        """Whether it holds up where the check has not looked, if it is one of many that are tried.

        Two at once, or one of many slips, give some answers by chance, and NaN has many causes.
        """
        one = match.candidate
        slips = [each for each in one.findings if each.key.startswith("slip.")]
        if len(one.findings) == 1 and not slips:
            return True
        if not holds_up(one.make, self.look.calls()):
            return False
        told = any(of_numbers(event) or event.kind == "gradient" for event in match.explained)
        return told or not slips or holds_up_where_large(one.make, self.look.calls())

    def first_known_to_explain(self, students: Students) -> Match | None:
        """The same of known misconceptions: first those that are likely by their patterns."""
        known = self.known.misconceptions
        tried = (
            one
            for most, least in itertools.pairwise(TIERS)
            for one in known
            if least <= one.likelihood(students) < most
        )
        return self.first_to_explain(tried, students)

    def diagnosis(
        self,
        findings: Sequence[Finding],
        explained: frozenset[Place],
        stays: frozenset[Place] = frozenset(),
    ) -> Diagnosis:
        """What is said, with the first wrong answer that it explains.

        And with the first of those that stay as they are when that is mended.
        """
        failing = self.students.failing
        shown = next((event for event in failing if event.place in explained), failing[0])
        left = (event for event in failing if event.place in stays - explained)
        return Diagnosis(tuple(findings), shown, next(left, None))

    def beside_faults(self, match: Match) -> Diagnosis:
        """A match, and the faults that it does not explain."""
        faults = self.faults_beside([match], match.places)
        return self.diagnosis((*match.candidate.findings, *faults), match.places)

    def beside_sure_faults(self, match: Match) -> Diagnosis:
        """The same without digits that are lost: a slip of another size may be all their cause."""
        whole = self.beside_faults(match)
        lost = {f"fault.{kind}" for kind in DIGITS}
        findings = tuple(one for one in whole.findings if one.key not in lost)
        return replace(whole, findings=findings)

    def faults_beside(
        self, matches: Sequence[Match], explained: frozenset[Place]
    ) -> tuple[Finding, ...]:
        """The faults that they do not explain, which is more than what is left without them."""
        exactly = _as_it_came(matches, Students(self.aside.restored))
        nearly = _as_it_came(matches, self.students)
        rounds = self.look.calls().rounds
        mine = itertools.chain.from_iterable(match.mine for match in matches)
        given = {event.place: event.got for event in mine if event.kind == "value"}
        return self.aside.findings(nearly, explained, exactly, rounds, given)

    def plain(self) -> list[Statement]:
        """What is true of what is left without faults that speak for themselves."""
        return list(plain(self.known.exercise, self.rest, self.students, self.look.calls))

    def possible(self, students: Students) -> list[Candidate]:
        """Changes of the reference that leave every answer right before the first wrong one."""
        place = students.failing[0].place
        return [
            one
            for one in self.known.misconceptions
            if one.root is not None
            and not one.is_silent(students)
            and not one.is_wrong_before(place, students, self.run)
        ]

    def may_be_in_one_branch(self, one: Candidate) -> bool:
        """Whether it may explain the first wrong answer where an option is given, or where not.

        There a branch answers as the misconception does, or as the reference.
        """
        first = self.rest.failing[0].place
        return (
            one.is_wrong_before(first, self.rest, self.run)
            or one.first_wrong(self.rest, self.run) is Bearing.FOR
        )

    def leading(self, students: Students) -> list[Candidate]:
        """Those that explain the first wrong answer, and the more after it the earlier."""
        known = self.possible(students)
        found = [one for one in known if one.first_wrong(students, self.run) is Bearing.FOR]
        return sorted(found, key=lambda one: -one.reach(students, self.run))


def _as_it_came(matches: Sequence[Match], students: Students) -> frozenset[Place]:
    """Where they explain the answer itself, and not only what is left without its faults."""
    mine = itertools.chain.from_iterable(match.mine for match in matches)
    bearings = ((event.place, students.bearing(event)) for event in mine)
    return frozenset(place for place, bearing in bearings if bearing is Bearing.FOR)


def _evident(match: Match, students: Students) -> bool:
    """Whether something else than an error of some type tells the misconception.

    Many things raise an error of one type: where nothing else has failed, the errors must also say
    the same.
    """
    return match.telling or {event.kind for event in students.failing} != {"raised"}


def _known(search: Search, budget: Budget) -> Diagnosis | None:
    """One known misconception explains all."""
    match = search.first_known_to_explain(search.students)
    return search.diagnosis(match.candidate.findings, match.places) if match else None


def _library(search: Search, budget: Budget) -> Diagnosis | None:
    """What the exercise is to write was called, whatever else is wrong."""
    for event in search.students.failing:
        if event.reason is Reason.LIBRARY:
            return search.diagnosis(
                (Finding("fact.library", event.text),), frozenset([event.place])
            )
    return None


def _faults(search: Search, budget: Budget) -> Diagnosis | None:
    """Faults that speak for themselves are all there is, or all beside one known misconception."""
    aside = search.aside
    if not aside:
        return None
    if aside.complete:
        return search.diagnosis(aside.findings(), search.students.places)
    match = search.first_known_to_explain(search.rest)
    return search.beside_faults(match) if match else None


def _set(search: Search, budget: Budget) -> Diagnosis | None:
    """Few known misconceptions explain all together, each where the others are right."""
    chosen = covering(search.students, search.matches(search.students))
    if not _explained(chosen) >= search.students.places:
        return None
    return search.diagnosis(_findings(chosen), search.students.places)


def _set_beside_faults(search: Search, budget: Budget) -> Diagnosis | None:
    """The same of what is left without faults that speak for themselves."""
    chosen, explained = search.chosen, _explained(search.chosen)
    if not search.aside or not chosen or not explained >= search.rest.places:
        return None
    faults = search.faults_beside(chosen, explained)
    return search.diagnosis((*_findings(chosen), *faults), explained)


def _explained(chosen: Sequence[Match]) -> frozenset[Place]:
    return frozenset[Place]().union(*(match.places for match in chosen))


def _findings(chosen: Sequence[Match]) -> tuple[Finding, ...]:
    return tuple(itertools.chain.from_iterable(match.candidate.findings for match in chosen))


def _pairs_with_first(search: Search, budget: Budget) -> Diagnosis | None:
    """Two known misconceptions at once, of which one alone explains the first wrong answer."""
    return _two(search, budget.of(_with_first(search, search.students)))


def _pairs(search: Search, budget: Budget) -> Diagnosis | None:
    """Two known misconceptions at once, where only both explain the first wrong answer."""
    return _two(search, budget.of(_without_first(search, search.students)))


def _two(search: Search, tried: Iterable[Candidate]) -> Diagnosis | None:
    """Both, if no single slip gives the same: two may undo each other, and neither be true."""
    match = search.first_to_explain(tried, search.students)
    if match is None:
        return None
    both = search.diagnosis(match.candidate.findings, match.places)
    return _slips(search, Budget(SLIPS // 3)) or replace(both, lead=TOGETHER)


def _pairs_beside_faults(search: Search, budget: Budget) -> Diagnosis | None:
    """Two known misconceptions at once, beside faults that speak for themselves."""
    if not search.aside or not search.rest.failing:
        return None
    pairs = itertools.chain(_with_first(search, search.rest), _without_first(search, search.rest))
    match = search.first_to_explain(budget.of(pairs), search.rest)
    return replace(search.beside_faults(match), lead=TOGETHER) if match else None


def _with_first(search: Search, students: Students) -> Iterator[Candidate]:
    """One that explains the first wrong answer, and any other, which may come in later."""
    if not _failed(students, "value", "gradient", "asked"):
        return  # what does not hold says too little
    known = search.possible(students)
    for one in search.leading(students):
        for other in known:
            if other is not one:
                yield from search.known.both(one, other)


def _without_first(search: Search, students: Students) -> Iterator[Candidate]:
    """Two of which none explains the first wrong answer, and at least one changes it.

    First come two that both change it.
    """
    if not _failed(students, "value", "gradient", "asked"):
        return
    leading = search.leading(students)
    known = [one for one in search.possible(students) if one not in leading]
    firsts = ((one, one.first_wrong(students, search.run)) for one in known)
    changing = {id(one) for one, bearing in firsts if bearing is not Bearing.NONE}

    def order(pair: tuple[tuple[int, Candidate], ...]) -> tuple[int, int]:
        (place, one), (other_place, other) = pair
        return len({id(one), id(other)} - changing), place + other_place

    # Own misconceptions stand before inherited ones; the nearer to the front both stand, the
    # earlier.
    for (_, one), (_, other) in sorted(itertools.combinations(enumerate(known), 2), key=order):
        if changing & {id(one), id(other)}:
            yield from search.known.both(one, other)


def _failed(students: Students, *kinds: str) -> bool:
    return any(event.kind in kinds for event in students.failing)


def _branches(search: Search, budget: Budget) -> Diagnosis | None:
    """A known misconception that is made where some option is given, or where it is not."""
    if not _failed(search.students, "value", "gradient") or not search.rest.failing:
        return None
    own = (one for one in search.known.misconceptions if "." not in one.findings[0].key)
    likely = filter(search.may_be_in_one_branch, own)
    tried = itertools.chain.from_iterable(map(search.known.in_one_branch, likely))
    match = search.first_to_explain(budget.of(tried), search.rest)
    return search.beside_faults(match) if match else None


def _mostly(search: Search, budget: Budget) -> Diagnosis | None:
    """The misconception that gives most of the wrong numbers; that there is a rest is said."""
    students = search.rest
    if not students.failing:
        return None
    best: tuple[frozenset[Place], Candidate] | None = None
    for one in budget.of(search.known.misconceptions):
        places = mostly_explained(one, students, search.run)
        better = places and (best is None or len(places) > len(best[0]))
        if places and better and mostly_holds_up(one.make, search.look.calls()):
            best = places, one
    if best is None:
        return None
    places, one = best
    stays = _right_in(one, students)
    if stays and 3 * len(places) < 2 * len(students.failing):
        return None  # of two opposite mistakes each explains about half
    faults = search.aside.findings(places, given={})
    return search.diagnosis((*one.findings, *faults), places, stays)


def _right_in(one: Candidate, students: Students) -> frozenset[Place]:
    """Where a change gives the right value, and the student's code does not."""
    values = (event for event in one.whole.events if event.kind == "value")
    right = {event.place for event in values if not event.failed}
    wrong = (event for event in students.failing if event.kind == "value" and not event.variant)
    return frozenset(event.place for event in wrong if event.place in right)


def _mended_in_part(search: Search, budget: Budget) -> Diagnosis | None:
    """The misconception that gives all wrong numbers, though some case of it is mended.

    Where nothing may be attended to, for one, many write what is wanted by itself. But a slip that
    gives all of the answers, right ones too, is what was made.
    """
    students = search.rest
    if not _failed(students, "value"):
        return None
    found = sorted(_mended(search, students, budget), key=lambda one: len(one[0]))
    nearest = [pair for pair in found if len(pair[0]) == len(found[0][0])]
    keys = {one.findings[0].key for _, one in nearest}
    if not keys:
        return None
    told_by_numbers = any(map(of_numbers, students.failing))
    if not told_by_numbers and (len(keys) > 1 or not _not_finite(students)):
        return None  # zeros and NaN come from many places
    mended, one = nearest[0]
    if not told_by_numbers and len(mended) > len(students.failing):
        return None  # and what is mended nearly everywhere need not be where they come from
    own = one.findings[0]
    sentence = f"{own.sentence}{right_all_the_same(mended)}"
    faults = search.aside.findings(students.places, given={})
    told = search.diagnosis((Finding(own.key, sentence), *faults), students.places)
    return (_slips(search, Budget(SLIPS // 3)) if mended else None) or told


def _not_finite(students: Students) -> bool:
    """Whether something that is wrong is NaN or infinite."""
    values = (event.got for event in students.failing if event.kind == "value")
    return not all(finite(one) for got in values for _, one in tensors(got))


def _mended(
    search: Search, students: Students, budget: Budget
) -> Iterator[tuple[list[Event], Candidate]]:
    """Those that have the student's wrong numbers, in the check and on varied calls.

    Before each stands what the student's code gets right, and it does not.
    """
    calls = search.look.calls()
    for one in budget.of(search.known.misconceptions):
        one.cost = one.price(0)
        if one.may_be_mended(students) and gives_a_wrong_answer(one, calls):
            mended = one.mended(students, search.run)
            if mended is not None and partly_holds_up(one.make, calls):
                yield mended, one


def _one_result(search: Search, budget: Budget) -> Diagnosis | None:
    """A known misconception that is made in one of several results, and in none of the others."""
    return _in_one_result(search, budget.of(search.known.misconceptions))


def _slips_in_one_result(search: Search, budget: Budget) -> Diagnosis | None:
    """The same of small slips."""
    return _in_one_result(search, budget.of(_likely(search)))


def _in_one_result(search: Search, tried: Iterable[Candidate]) -> Diagnosis | None:
    values = [event for event in search.students.failing if event.kind == "value"]
    names = values[0].fields.get("names", ()) if values else ()
    if len(values) < len(search.students.failing) or len(names) < 2:
        return None
    calls = search.look.calls()
    place = only_wrong_result(calls)
    found: dict[str, Finding] = {}
    for one in tried if place in range(len(names)) else ():
        one.cost = _price_of_asking(one)
        if found and not one.findings[0].inherited:
            break  # the first is one of the exercise itself, or all that are inherited are known
        if gives_one_result(one.make, calls, place or 0):
            own = one.findings[0]
            sentence = f"In `{names[place or 0]}` alone of what is returned: {own.sentence}"
            found[own.key] = Finding(own.key, sentence)
            if not own.inherited:
                break
    if len(found) != 1:
        return None  # one of several that are inherited is named by chance
    return search.diagnosis(tuple(found.values()), search.students.places)


def _drawn(search: Search, budget: Budget) -> Diagnosis | None:
    """Two equal calls give two results: nothing else can be told from numbers then."""
    kinds = "value", "gradient", "holds"
    wrong = [event for event in search.rest.failing if event.kind in kinds]
    meant = "generator" in search.known.exercise.parameters
    how = search.look.calls().drawn if wrong and not meant else ""
    if not how:
        return None
    finding = Finding("fact.drawn", drawn_sentence(search.known.exercise.name, how))
    return search.diagnosis((finding,), frozenset(event.place for event in wrong))


def _facts(search: Search, budget: Budget) -> Diagnosis | None:
    """What can be told from the calls, without explaining a number."""
    fact = search.look.fact()
    if fact is None:
        return None
    explained = frozenset(event.place for event in fact.explained)
    beside = [fault for fault in search.aside.certain if fault.event.place not in explained]
    findings = {fault.kind: fault.finding for fault in reversed(beside)}
    stays = {event.place for event in fact.stays} - {fault.event.place for fault in beside}
    return search.diagnosis((fact.finding, *findings.values()), explained, frozenset(stays))


def _slips(search: Search, budget: Budget) -> Diagnosis | None:
    """A small slip of any kind, alone or beside faults that speak for themselves."""
    sifted = Kept(_sifted(search, budget))
    for students in (search.students, search.rest) if search.aside else (search.students,):
        told = _failed(students, "value", "gradient")  # an error alone says too little
        match = search.first_to_explain(sifted, students) if told else None
        if match:
            return search.beside_sure_faults(match)
    return None


def _slips_for_what_is_unused(search: Search, budget: Budget) -> Diagnosis | None:
    """A slip where an argument does not reach the result: it tells what stands in its place."""
    fact = search.look.fact() if _failed(search.students, "value") else None
    return _slips(search, budget) if fact and fact.finding.key == "fact.cut_off" else None


def _slips_in_errors(search: Search, budget: Budget) -> Diagnosis | None:
    """A slip that ends in the student's errors, word for word."""
    students = search.students
    calls = search.look.calls()
    if _failed(students, "value", "gradient") or calls.smallest_error is None:
        return None
    for one in budget.of(search.known.slips):
        one.cost = _price_of_asking(one)
        if not gives_the_error(one, calls):
            continue
        match = one.match(students, search.run)
        if match and match.places >= students.places and match.says_the_same:
            return search.diagnosis(match.candidate.findings, match.places)
    return None


def _slips_in_a_branch(search: Search, budget: Budget) -> Diagnosis | None:
    """A slip that is made where some option is given, or where it is not."""
    students = search.rest if search.aside else search.students
    if not _failed(students, "value"):
        return None
    alike = _sifted(search, budget)
    branches = itertools.chain.from_iterable(map(search.known.in_one_branch, alike))
    match = search.first_to_explain(branches, students)
    return search.beside_sure_faults(match) if match else None


def _sifted(search: Search, budget: Budget) -> Iterator[Candidate]:
    """The slips that give the smallest wrong answer: to ask that of one costs little."""
    calls = search.look.calls()
    for one in budget.of(_likely(search)):
        one.cost = _price_of_asking(one)
        if gives_the_wrong_answer(one, calls):
            yield one


def _price_of_asking(one: Candidate) -> int:
    """What one call costs, in events: the more is made for it, the more."""
    return SIFTED + (len(one.root.whole) if one.root else 0)


def _likely(search: Search) -> Iterator[Candidate]:
    """The slips that may be: some change no value, the others change some."""
    failing = search.students.failing
    values = any(event.kind in ("value", "raised") and not event.variant for event in failing)
    for slip in search.known.slips:
        if values is not (slip.findings[0].key in VALUES_STAY):
            yield slip


def _slips_beside(search: Search, budget: Budget) -> Diagnosis | None:
    """A small slip beside a known misconception that explains the first wrong answers."""
    if not _failed(search.students, "value", "gradient"):
        return None
    leading = search.leading(search.students)[:2]
    tried = itertools.chain.from_iterable(map(search.known.with_slips, leading))
    match = search.first_to_explain(budget.of(tried), search.students)
    return search.diagnosis(match.candidate.findings, match.places) if match else None


def _part(search: Search, budget: Budget) -> Diagnosis | None:
    """Known misconceptions and faults that explain some of it; the rest is said to be there."""
    chosen = [match for match in search.chosen if _of_numbers(match.explained)]
    explained = _explained(chosen)
    left = [event for event in search.rest.failing if event.place not in explained]
    if _of_numbers(left) or len(explained) < len(left):
        return None  # what leaves other numbers wrong may fit by chance
    if not chosen:
        return None
    places = frozenset(fault.event.place for fault in search.aside.faults)
    findings = (*_findings(chosen), *search.aside.sure)
    stays = frozenset(event.place for event in left) - places
    return search.diagnosis(findings, explained, stays)


def _of_numbers(events: Sequence[Event]) -> bool:
    """Whether some of it are values, of a case as it is."""
    return any(event.kind == "value" and not event.variant for event in events)


def _plainly(search: Search, budget: Budget) -> Diagnosis | None:
    """In which way answers are wrong, and in which cases: no misconception, but true."""
    told = search.plain()
    faults = search.aside.sure
    findings: list[Finding] = [*(one.finding for one in told), *faults]
    if not findings:
        return None  # what does not hold is told in words
    if (inside := search.look.part()) and told:
        first = findings[0]
        findings[0] = Finding(f"{first.key}+{inside.key}", f"{inside.sentence} {first.sentence}")
    explained = {event.place for one in told for event in one.events}
    faults_alone = {fault.event.place for fault in search.aside.faults}
    return search.diagnosis(findings, frozenset(explained or faults_alone))


@dataclass(frozen=True)
class Strategy:
    """One way to look for what explains the answers, and how many events its runs may take."""

    find: Callable[[Search, Budget], Diagnosis | None]
    events: int = 0
    behavior: bool = False  # whether it is of use where numbers are each solution's own


STRATEGIES = (
    Strategy(_library, behavior=True),
    Strategy(_known, behavior=True),
    Strategy(_set),
    Strategy(_faults),
    Strategy(_set_beside_faults),
    Strategy(_drawn, behavior=True),
    Strategy(_branches, events=800),
    Strategy(_one_result, events=700),
    Strategy(_mended_in_part, events=1500),
    Strategy(_pairs_with_first, events=1300),
    Strategy(_pairs, events=450),
    Strategy(_slips_for_what_is_unused, events=SLIPS),
    Strategy(_facts, behavior=True),
    Strategy(_pairs_beside_faults, events=300),
    Strategy(_slips, events=SLIPS),
    Strategy(_slips_in_errors, events=3000),
    Strategy(_slips_in_one_result, events=1500),
    Strategy(_slips_in_a_branch, events=SLIPS),
    Strategy(_slips_beside, events=700),
    Strategy(_mostly, events=600),
    Strategy(_part),
    Strategy(_plainly, behavior=True),
)


def diagnose(known: Known, log: Log, run: Rerun, look: Look) -> Diagnosis | None:
    """What explains the student's events, by the first strategy that finds it."""
    exercise = known.exercise
    students = Students(log, exercise.behavior)
    if not students.failing:
        return None
    search = Search(known, students, run, look, log)
    try:
        for strategy in STRATEGIES:
            if exercise.behavior and not strategy.behavior:
                continue
            if found := strategy.find(search, Budget(strategy.events)):
                return found
    except BaseException:  # a time limit or an interrupt: what is kept is half made
        exercise.candidates.clear()
        raise
    return None


def plainly(known: Known, log: Log, look: Look, run: Rerun) -> str:
    """What is true of the student's wrong answers, and names no mistake; empty for nothing."""
    students = Students(log, known.exercise.behavior)
    told = Search(known, students, run, look, log).plain()
    return joined(one.finding.sentence for one in told)


def still_planted(known: Known, log: Log, run: Rerun) -> bool:
    """Whether the student's code answers as the code that was given to be mended."""
    exercise = known.exercise
    students = Students(log, exercise.behavior)
    for one in known.misconceptions if exercise.mend else ():
        if one.findings[0].key == exercise.mend:
            match = one.match(students, run)
            if match and match.places == students.places and _evident(match, students):
                return True
    return False
