"""Changes of code, compared word by word: how it is set does not count."""

import ast
import difflib
import functools
import itertools
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

# Not tokenize, which promises nothing for pieces of code that are no program by themselves, and
# takes f-strings apart in some versions of Python and in others not.
_WORDS = re.compile(
    r"""
    (?P<layout> \s+ | \#[^\n]* | \\\n)
    | [rbfuRBFU]{0,2} (?: \"{3}[\s\S]*?\"{3} | '{3}[\s\S]*?'{3}
                        | "(?:\\.|[^"\\\n])*" | '(?:\\.|[^'\\\n])*' )
    | (?: \d[\d_]*(?:\.[\d_]*)? | \.\d[\d_]* ) (?: [eE][+-]?\d+ )?
    | \w+
    | \*\*= | //= | >>= | <<= | \.\.\. | [-+*/%@&|^=!<>:]= | -> | \*\* | // | << | >>
    | [\s\S]
    """,
    re.VERBOSE,
)


class StaleMisconception(ValueError):
    """What a misconception changes is not in the code, or is there more than once."""


@dataclass(frozen=True)
class Change:
    """Another text for one place in the code of a definition."""

    where: str  # the definition's name
    start: int
    end: int
    text: str

    def overlaps(self, other: "Change") -> bool:
        """Whether the two cannot both be made."""
        return self.where == other.where and self.start < other.end and other.start < self.end

    def within(self, other: "Change") -> bool:
        """Whether the other one takes away what this one would change."""
        inside = other.start <= self.start and self.end <= other.end
        return self.where == other.where and inside and other.start < other.end


def changes_of(code: str, wanted: Mapping[str, str], where: str) -> tuple[Change, ...]:
    """Replacements of pieces of the code, by old and new text. Raises StaleMisconception."""
    return tuple(_change(code, old, new, where) for old, new in wanted.items())


def applied(code: str, changes: Iterable[Change]) -> str:
    """The code with changes that do not overlap."""
    for change in sorted(changes, key=lambda one: one.start, reverse=True):
        code = code[: change.start] + change.text + code[change.end :]
    return code


def composed(
    codes: Mapping[str, str], one: Sequence[Change], other: Sequence[Change]
) -> tuple[Change, ...] | None:
    """Both at once; None where they exclude each other.

    Where they overlap, only the words that differ count; what one of them takes away, the other
    need not change. One that adds words to these would be another mistake: `not` before what the
    other one makes `False` is true. And two that write the same at one place are one in part.
    """
    if not _overlapping(one, other):
        return (*one, *other)
    first = [part for change in one for part in _finer(codes[change.where], change)]
    second = [part for change in other for part in _finer(codes[change.where], change)]
    for mine, theirs in itertools.product(first, second):
        if _adds_to(codes, mine, theirs) or _adds_to(codes, theirs, mine):
            return None
        if mine == theirs and mine.text.strip():
            return None
    left = [part for part in second if not any(part.within(outer) for outer in first)]
    return (*first, *left) if left and not _overlapping(first, left) else None


def stacked(
    codes: Mapping[str, str], one: Sequence[Change], other: Sequence[Change]
) -> dict[str, str] | None:
    """The texts that change, with one's changes and then the other's, which overlap.

    None where what the other one changes does not stand in one's text once.
    """
    names = dict.fromkeys(change.where for change in (*one, *other))
    first = {
        name: applied(codes[name], [change for change in one if change.where == name])
        for name in names
    }
    return stacked_on(first, codes, other)


def stacked_on(
    texts: Mapping[str, str], codes: Mapping[str, str], changes: Sequence[Change]
) -> dict[str, str] | None:
    """The texts, which have been changed, with further changes of the codes that they come from.

    None where what is to be changed does not stand in a text once.
    """
    written = {}
    for name, text in texts.items():
        wanted = {
            codes[name][change.start : change.end]: change.text
            for change in changes
            if change.where == name
        }
        try:
            written[name] = applied(text, changes_of(text, wanted, name))
        except StaleMisconception:
            return None
    return written


def _overlapping(one: Iterable[Change], other: Sequence[Change]) -> bool:
    return any(mine.overlaps(theirs) for mine in one for theirs in other)


def _adds_to(codes: Mapping[str, str], one: Change, other: Change) -> bool:
    """Whether one only adds words, beside those that the other takes away."""
    if one.where != other.where or one.start < one.end or other.start == other.end:
        return False
    between = (one.start, other.start) if one.start <= other.start else (other.end, one.start)
    return between[0] <= between[1] and not codes[one.where][slice(*between)].strip()


@functools.lru_cache(maxsize=1024)
def _finer(code: str, change: Change) -> tuple[Change, ...]:
    """The change as changes of the words that differ, if they come to the same code."""
    finer = tuple(_parts(code, change))
    try:
        trees = [ast.dump(ast.parse(applied(code, made))) for made in (finer, (change,))]
    except SyntaxError:
        return (change,)
    return finer if trees[0] == trees[1] else (change,)


def _parts(code: str, change: Change) -> Iterator[Change]:
    old, new = _words(code[change.start : change.end]), _words(change.text)
    before, after = ([word for word, _, _ in side] for side in (old, new))
    for kind, i, j, k, m in difflib.SequenceMatcher(None, before, after, False).get_opcodes():
        if kind == "equal":
            continue
        start, end = (old[i][1], old[j - 1][2]) if j > i else 2 * (old[i - 1][2] if i else 0,)
        text = change.text[new[k][1] : new[m - 1][2]] if m > k else ""
        if j == i and k:  # with the layout before it, which may be a new line
            text = change.text[new[k - 1][2] : new[m - 1][2]]
        elif j == i and m < len(new):
            text = change.text[new[k][1] : new[m][1]]
        yield Change(change.where, change.start + start, change.start + end, text)


def _change(code: str, old: str, new: str, where: str) -> Change:
    have, want = _words(code), [word for word, _, _ in _words(old)]
    places = [
        (have[i][1], have[i + len(want) - 1][2])
        for i in range(len(have) - len(want) + 1)
        if want and [word for word, _, _ in have[i : i + len(want)]] == want
    ]
    if len(places) != 1:
        inside = "" if places or old not in code else " but as a part of words (a string is one)"
        raise StaleMisconception(
            f"{old!r} stands {len(places)} times in {where}{inside}, wanted once."
        )
    start, end = places[0]
    line = code[code.rfind("\n", 0, start) + 1 : start]
    indent = line[: len(line) - len(line.lstrip())]
    return Change(where, start, end, new.replace("\n", "\n" + indent))


@functools.lru_cache(maxsize=512)
def _words(code: str) -> list[tuple[str, int, int]]:
    """Each word with where it begins and ends."""
    return [
        (match.group(), match.start(), match.end())
        for match in _WORDS.finditer(code)
        if match.group("layout") is None
    ]
