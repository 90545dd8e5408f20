"""One submission: its cells run in the sandbox, its checks judged on this side."""

import contextlib
import re
import secrets
import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import torch
from nbformat import NotebookNode

from autograder.cells import grade_id
from autograder.checking.cell_log import beginning
from autograder.checking.families import used_of
from autograder.checking.judge import calls_hidden, judge
from autograder.checking.recording import Recording
from autograder.checking.registry import find
from autograder.checking.requests import CallRequest
from autograder.checking.verdict import Verdict
from autograder.checking.wire import WireError
from autograder.grading.course.released import ReleasedChapter, ReleasedExercise
from autograder.grading.submission.ahead import Ahead, Plan, Unforeseen, plan
from autograder.grading.submission.cell_outputs import (
    Room,
    check_outputs,
    error_output,
    output_size,
    raised_output,
    rebuilt_outputs,
    short_text,
)
from autograder.grading.submission.names_used import definition_of, shortcuts, unwatched, uses
from autograder.grading.submission.needed import needed_cells
from autograder.grading.submission.pasted_stubs import without_pasted_stubs
from autograder.grading.submission.providing import StandingIn, provided_source
from autograder.grading.submission.sandbox_home import Gone, SandboxHome, ask, lost_as_gone
from autograder.grading.text import one_line, said_by_submission
from autograder.sandbox.bounds import checking_memory
from autograder.sandbox.deadline import Deadline
from autograder.sandbox.errors import SandboxError
from autograder.sandbox.limits import Limits
from autograder.sandbox.session import REPLIES, Session
from autograder.sandbox.warm import WarmProcess

NOT_DEFINED = re.compile(r"NameError: name '(\w+)' is not defined")
NO_MODULE = re.compile(r"No module named '[\w.]{1,100}'")
MISSING_NAME = re.compile(r"name '(\w+)' is not defined")
NOTES_AT_MOST = 10
RESTARTS_AT_MOST = 8
OUTPUT_BYTES = 100_000  # of a cell
OUTPUTS_BYTES = 5_000_000  # of a submission
# How much longer than one cell or check a whole submission may take: many slow cells add up.
WHOLE = 10
# How much longer it may sleep or wait for nothing in all: nobody's work needs that.
IDLE = 3
# In a class it stands back after so much of the limit, until those that compute are done.
IDLE_IN_CLASS = 0.25
WITNESS = "def {name}(x): return __import__('torch').ops.aten._softmax.default(x, -1, False)"
WITNESSED = torch.ones(2, 3)
LOST = ("timeout", "memory", "crashed")  # how a sandbox ends before it has answered
PIXELS = 10**8  # of a submission's pictures: what a browser unfolds them to


class StandsBack(Exception):
    """The submission sleeps: it is to be graded when no other is left."""


@dataclass
class GradedNotebook:
    """What grading one notebook found."""

    verdicts: dict[str, Verdict]
    status: str = "graded"
    notes: list[str] = field(default_factory=list)
    seconds: float = 0.0


@dataclass
class Run:
    """Executes a notebook in sandboxes, starting a new one when student code brings one down."""

    notebook: NotebookNode
    chapter: ReleasedChapter
    warm: WarmProcess
    limits: Limits
    seed: int
    # By exercise verdicts that stand: those checks are not asked again.
    known: dict[str, Verdict] = field(default_factory=dict)
    others_wait: bool = False  # then StandsBack is raised where the submission sleeps

    def __post_init__(self) -> None:
        self.tasks = {task.check_id: task for task in self.chapter.tasks}
        self.graded = GradedNotebook(dict(self.known))
        self.session: Session | None = None
        self.poisoned: set[int] = set()
        self.broken: dict[int, str] = {}  # own cells that ended a session, and what is said of it
        self.restarts = 0
        # By their places, cells without the stubs that stand below the student's own code.
        self.unstubbed, notes = without_pasted_stubs(self.notebook.cells, self.chapter)
        for note in notes:
            self._note(note)
        self.sources: list[str] = []  # of the cells that ran
        self.below: list[tuple[int, ReleasedExercise]] = []  # checks with code below them
        self.provided: dict[int, list[str]] = {}  # by the place of a cell: sources to run before it
        self.needed = needed_cells(self.notebook, self.chapter)
        self.room = Room(OUTPUTS_BYTES, PIXELS)
        self.end = float("inf")
        self.idle = 0.0  # seconds in which there was nothing to compute

    def grade(self) -> GradedNotebook:
        """Run every cell that grading needs and judge every exercise."""
        start = time.monotonic()
        self.end = start + WHOLE * self.limits.seconds
        torch.set_num_threads(1)
        try:
            for index, cell in enumerate(self.notebook.cells):
                task = self.tasks.get(grade_id(cell) or "")
                if task:
                    self._check(index, cell, task)
                elif index in self.needed:
                    self._run(index, cell)
            self._judge_what_stands_below()
            self._judge_with_what_is_provided()
        finally:
            self._close()
        lost = [verdict.status for verdict in self.known.values() if verdict.status in LOST]
        if lost and self.graded.status == "graded":
            self.graded.status = lost[0]
        self.graded.seconds = time.monotonic() - start
        return self.graded

    def _close(self) -> None:
        if self.session is not None:
            self.session.close()
            self.session = None

    def _ready(self, upto: int) -> Session:
        """A live session in which every cell before `upto` has run, but those that broke one."""
        while self.session is None:
            self._seconds()  # or there is no use in another one
            if self.restarts > RESTARTS_AT_MOST:
                raise Gone(self.graded.status, "too many cells of this submission broke off")
            self.restarts += 1
            self.session = self.warm.session()
            for index, source in self._steps(upto):
                try:
                    self._execute(self.session, source)
                except Gone:
                    self.poisoned.add(index)
                    self._close()
                    break
        return self.session

    def _steps(self, upto: int) -> Iterator[tuple[int, str]]:
        """What runs before a place: the cells that are needed, and what is provided among them."""
        for index in range(upto):
            for source in self.provided.get(index, ()):
                yield index, source
            if index in self.needed and index not in self.poisoned:
                yield index, self._source(index)

    def _source(self, index: int) -> str:
        return self.unstubbed.get(index, self.notebook.cells[index].source)

    def _execute(self, session: Session, source: str) -> dict[str, Any]:
        request = {"op": "run", "source": source, "bytes": OUTPUT_BYTES}
        session.replies = REPLIES
        with self._timed(session) as deadline:
            return ask(session, request, deadline)

    @contextlib.contextmanager
    def _timed(self, session: Session) -> Iterator[Deadline]:
        """The time for the next cell or check; what does not count there does not in the whole."""
        seconds = self._seconds()
        most = self.limits.seconds * (IDLE_IN_CLASS if self.others_wait else IDLE)
        deadline = session.deadline(seconds, most - self.idle)
        try:
            yield deadline
        finally:
            deadline.end()
            self.end += deadline.spared
            self.idle += deadline.idle
            if self.others_wait and self.idle > most:
                raise StandsBack

    def _seconds(self) -> float:
        """How long the next cell or check may take."""
        left = self.end - time.monotonic()
        if left <= 0:
            text = f"all of the submission took more than {WHOLE * self.limits.seconds:g} seconds"
            raise Gone("timeout", text)
        if self.idle > IDLE * self.limits.seconds:
            text = f"the submission waited for nothing more than {IDLE * self.limits.seconds:g} s"
            raise Gone("timeout", text)
        return min(self.limits.seconds, left)

    def _run(self, index: int, cell: NotebookNode) -> None:
        name = grade_id(cell)
        self.sources.append(self._source(index))
        try:
            reply = self._execute(self._ready(index), self._source(index))
        except Gone as gone:
            self._lost(gone)
            self.poisoned.add(index)  # it is not run again
            cell.outputs = [error_output(gone)]
            tasks = [task for task in self.chapter.tasks if task.name == name]
            for task in tasks:
                if task.name not in self.known:
                    self.graded.verdicts[task.name] = gone.verdict(task.name, task.points)
            if not tasks:
                begins = f"the cell that begins `{beginning(cell.source)}` broke off"
                self.broken[index] = f"{begins}: {gone.message}"
                self._note(self.broken[index])
            return
        room = Room(min(2 * OUTPUT_BYTES, self.room.characters), self.room.pixels)
        cell.outputs = rebuilt_outputs(reply.get("outputs"), room)
        error = reply.get("error")
        cell.outputs += raised_output(error)
        own = cell.source not in self.chapter.demos and name not in self.chapter.locked
        failed = error if own and isinstance(error, dict) else {}
        module = NO_MODULE.fullmatch(short_text(failed.get("message")))
        if module and failed.get("name") == "ModuleNotFoundError":
            self._note(f"{module[0]}: grading does not have that package")
        self.room.characters -= sum(output_size(output) for output in cell.outputs)
        self.room.pixels = room.pixels

    def _check(self, index: int, cell: NotebookNode, task: ReleasedExercise) -> None:
        verdict = self.graded.verdicts.get(task.name)
        if verdict is None:
            verdict = self._judged(index, task)
            self.graded.verdicts[task.name] = verdict
            if not verdict.passed and self._stands_below(index, task.name):
                self.below.append((index, task))
        cell.outputs = check_outputs(verdict)

    def _stands_below(self, index: int, name: str) -> bool:
        """Whether a cell of the student's own below this place defines `name`."""
        return any(later > index for later in self._defined_in(name))

    def _defined_in(self, name: str) -> list[int]:
        """The places of the student's own cells that define `name`."""
        defines = definition_of(name)
        return [
            index
            for index in sorted(self.needed)
            if grade_id(cell := self.notebook.cells[index]) not in self.chapter.locked
            and cell.source not in self.chapter.demos
            and defines.search(cell.source)
        ]

    def _judge_what_stands_below(self) -> None:
        """Code in a cell below its check counts as what it is, and both sides are told."""
        for index, task in self.below:
            verdict = self._judged(len(self.notebook.cells), task)
            self.graded.verdicts[task.name] = verdict
            self.notebook.cells[index].outputs = check_outputs(verdict)
            self._note(f"the code of {task.name} stands below its check, and was judged there")

    def _judge_with_what_is_provided(self) -> None:
        """What fails by an earlier exercise is judged with the provided one in its place.

        Whether that one is wrong, not started or missing. By then every verdict on it is in, and no
        session goes on that has seen it.
        """
        lacking: list[str] = []  # exercises without their points
        places = {grade_id(cell): index for index, cell in enumerate(self.notebook.cells)}
        for task in self.chapter.tasks:
            verdict = self.graded.verdicts.get(task.name)
            if verdict is None or verdict.passed:
                continue
            used = uses(task.name, self.sources) if lacking else set()
            # What is to be mended is the reference itself, but for its mistake.
            used.discard(find(task.name).reference)
            if task.name not in self.known and (names := [one for one in lacking if one in used]):
                verdict = self._with_provided(task, verdict, names)
                self.graded.verdicts[task.name] = verdict
                self.notebook.cells[places[task.check_id]].outputs = check_outputs(verdict)
            if not verdict.passed and find(task.name).reference == task.name:
                lacking.append(task.name)

    def _with_provided(self, task: ReleasedExercise, verdict: Verdict, names: list[str]) -> Verdict:
        self._close()
        self.restarts -= 1  # none of the submission's doing
        end = len(self.notebook.cells) + 1
        for name in names:
            self.provided.setdefault(self._place_of(name), []).append(provided_source(name))
        try:
            again = self._asked(end, task.name, plan(task.name, self.seed))
        except Gone as gone:
            provided = " and ".join(names)
            self._note(f"{task.name} was not judged with the provided {provided}: {gone.message}")
            return verdict
        finally:
            self.provided = {}
            self._close()
        standing_in = StandingIn(names, [self.graded.verdicts[name].status for name in names])
        if again.passed:
            self._note(standing_in.note(task.name))
        return standing_in.verdict(verdict, again, task.points)

    def _place_of(self, name: str) -> int:
        """The cell before which a provided exercise runs: behind the student's own.

        Where there is none, before the next exercise, since that may use it as it is defined.
        """
        places = {grade_id(cell): index for index, cell in enumerate(self.notebook.cells)}
        own = [places[name], *self._defined_in(name)] if name in places else self._defined_in(name)
        if own:
            return max(own) + 1
        names = [task.name for task in self.chapter.tasks]
        later = (places[one] for one in names[names.index(name) :] if one in places)
        return min(later, default=len(self.notebook.cells))

    def _judged(self, index: int, task: ReleasedExercise) -> Verdict:
        foreseen = plan(task.name, self.seed)
        try:
            try:
                verdict = self._asked(index, task.name, foreseen)
            except Gone as gone:
                if gone.status == "timeout" or not foreseen.bounds_memory:
                    raise
                # What the checks before it have left in memory is not to this one's charge.
                self._close()
                verdict = self._asked(index, task.name, foreseen)
        except Gone as gone:
            self._lost(gone)
            return gone.verdict(task.name, task.points)
        if verdict.status == "failed":
            verdict = self._explained(verdict, task)
        elif verdict.passed and find(task.name).forbidden:
            if self._calls_are_seen(index):
                self._look_at_what_it_names(task)
            else:
                verdict = replace(verdict, status="failed", message=calls_hidden(task.name))
        points = task.points if verdict.passed else 0.0
        text = one_line(verdict.message)
        return replace(verdict, points=points, max_points=task.points, message=text)

    def _explained(self, verdict: Verdict, task: ReleasedExercise) -> Verdict:
        """The verdict with the submission's own error first, where that is what failed."""
        lacking = NOT_DEFINED.search(verdict.message)
        if not lacking:
            return verdict
        # What is not there was not misunderstood, whatever is made of the error that it ends with.
        verdict = replace(verdict, misconception=None)
        if self.session is None:
            return verdict
        request = {"op": "obstacle", "name": task.name, "lacking": lacking[1]}
        try:
            with self._timed(self.session) as deadline:
                found = ask(self.session, request, deadline)
        except Gone:
            self._close()
            return verdict
        if lacking[1] != task.name:
            reason = said_by_submission(short_text(found.get("reason")))
            if reason:
                self._note(reason)
            reason = reason or self._broken_before(lacking[1])
            return replace(verdict, message=f"{verdict.message} {reason}".strip())
        account = short_text(found.get("obstacle"))
        obstacle = said_by_submission(account)
        for name in MISSING_NAME.findall(account)[:1]:
            obstacle = f"{obstacle} {self._broken_before(name)}".strip()
        if found.get("written") is not True:
            text = f"{task.name} is not defined in the submission"
            return replace(verdict, status="missing", message=text)
        self._note(obstacle)
        return replace(verdict, message=obstacle or verdict.message)

    def _broken_before(self, name: str) -> str:
        """Which cell would have made a name, where that one broke off; nothing if none did."""
        names = re.compile(rf"\b{re.escape(name)}\b")
        found = [
            reason
            for index, reason in self.broken.items()
            if names.search(self.notebook.cells[index].source)
        ]
        return f"{found[-1][0].upper()}{found[-1][1:]}." if found else ""

    def _note(self, text: str) -> None:
        text = one_line(text).rstrip(".")
        if text and text not in self.graded.notes and len(self.graded.notes) < NOTES_AT_MOST:
            self.graded.notes.append(text)

    def _look_at_what_it_names(self, task: ReleasedExercise) -> None:
        """Tell the teacher of a forbidden function that is named and was not seen to run.

        And of what may call one unseen.
        """
        named = shortcuts(task.name, self.sources, find(task.name).forbidden)
        if named:
            names = " and ".join(named)
            self._note(
                f"{task.name} names the library's own {names}, which was not seen to be called"
            )
        elif doors := unwatched(task.name, self.sources):
            self._note(
                f"{task.name} goes where its calls cannot be seen ({', '.join(doors)}): look "
                "whether it calls what it is to write"
            )

    def _calls_are_seen(self, index: int) -> bool:
        """Whether a library's function that is called on purpose shows among the calls.

        It does not where the submission has changed what watches them.
        """
        name = f"_{secrets.token_hex(8)}"
        try:
            session = self._ready(index)
            self._execute(session, WITNESS.format(name=name))
            with self._timed(session) as deadline:
                home = SandboxHome(session, deadline, WITNESSED.numel())
                reply = home.answer(CallRequest(name, (WITNESSED,), watch=True))
        except Gone as gone:
            self._lost(gone)
            return False
        return bool(used_of(["softmax"], reply.calls or ()))

    def _asked(self, index: int, name: str, foreseen: Plan) -> Verdict:
        """Judge, asking everything at once as long as the check asks what was foreseen."""
        session = self._ready(index)
        if foreseen.holds:
            try:
                with self._timed(session) as deadline, checking_memory():
                    ahead = Ahead(session, foreseen, deadline)
                    verdict = ahead.known()
                    if verdict is None:
                        verdict = judge(
                            name, ahead, Recording(foreseen.answers), self.seed, more=True
                        )
                        ahead.keep(verdict)
                self._stop(session, deadline, ahead.lost)
                return verdict
            except Unforeseen:
                # What was asked for nothing may have left traces: begin again in a new session.
                foreseen.holds = ahead.failed
                self._close()
                self.restarts -= 1
                session = self._ready(index)
        with self._timed(session) as deadline, checking_memory():
            home = SandboxHome(session, deadline, max(foreseen.sizes, default=0))
            verdict = judge(name, home, Recording(foreseen.answers), self.seed, more=True)
        if home.lost:
            self._give_up()
        else:
            with lost_as_gone():
                session.limit_memory(None)
        return verdict

    def _stop(self, session: Session, deadline: Deadline, lost: bool) -> None:
        """Leave the rest of a failed check unasked; who does not stop in time is ended."""
        if lost:
            self._give_up()
            return
        try:
            session.stop(max(1.0, deadline.left()))
            session.limit_memory(None)
        except (SandboxError, WireError):
            self._give_up()

    def _give_up(self) -> None:
        """End a session that was lost after the verdict, which stands: this costs no restart."""
        self._close()
        self.restarts -= 1

    def _lost(self, gone: Gone) -> None:
        self._close()
        if self.graded.status == "graded":
            self.graded.status = gone.status
