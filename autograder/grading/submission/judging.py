"""One exercise of a submission judged on this side, by what its code answers in the sandbox."""

import re
import secrets
from dataclasses import replace

import torch

from autograder.checking.families import used_of
from autograder.checking.registry import find
from autograder.checking.verdict import Verdict
from autograder.diagnosis import patterns
from autograder.diagnosis.judge import calls_hidden, judge
from autograder.diagnosis.recording import Recording
from autograder.grading.course.released import ReleasedExercise
from autograder.grading.submission.ahead import Ahead, Plan, Unforeseen, plan
from autograder.grading.submission.cell_outputs import short_text
from autograder.grading.submission.execution import Execution
from autograder.grading.submission.names_used import shortcuts, unwatched
from autograder.grading.submission.notes import Notes
from autograder.grading.submission.sandbox_home import Gone, SandboxHome, ask, lost_as_gone
from autograder.grading.text import one_line, said_by_submission
from autograder.remote.requests import CallRequest
from autograder.remote.wire import WireError
from autograder.sandbox.bounds import checking_memory
from autograder.sandbox.deadline import Deadline
from autograder.sandbox.errors import SandboxError
from autograder.sandbox.session import Session

SENTENCES_AT_MOST, KEY_AT_MOST = 3000, 200

NOT_DEFINED = re.compile(r"NameError: name '(\w+)' is not defined")
MISSING_NAME = re.compile(r"name '(\w+)' is not defined")
WITNESS = "def {name}(x): return __import__('torch').ops.aten._softmax.default(x, -1, False)"
WITNESSED = torch.ones(2, 3)


class Judging:
    """Judges exercises where the cells of a submission have run."""

    def __init__(self, execution: Execution, seed: int, notes: Notes) -> None:
        self._execution, self._seed, self.notes = execution, seed, notes
        self.ran: list[str] = []  # the sources of the cells that ran
        self._witness: tuple[Session | None, str] = None, ""  # a session, its function's name
        self.broken: dict[str, str] = {}  # by its source, what is said of a cell that broke off

    def verdict(self, index: int, exercise: ReleasedExercise) -> Verdict:
        """The verdict on an exercise, once all cells before a place have run."""
        foreseen = plan(exercise.name, self._seed)
        try:
            try:
                verdict = self._asked(index, exercise, foreseen)
            except Gone as gone:
                if gone.status == "timeout" or not foreseen.bounds_memory:
                    raise
                # What the checks before it have left in memory is not to this one's charge.
                self._execution.close()
                verdict = self._asked(index, exercise, foreseen)
        except Gone as gone:
            self._execution.lose(gone)
            return gone.verdict(exercise.name, exercise.points)
        if verdict.status == "failed":
            verdict = self._explained(verdict, exercise)
        elif verdict.passed and find(exercise.name).forbidden:
            if self._calls_are_seen(index):
                self._look_at_what_it_names(exercise)
            else:
                verdict = replace(verdict, status="failed", message=calls_hidden(exercise.name))
        points = exercise.points if verdict.passed else 0.0
        return replace(
            verdict,
            points=points,
            max_points=exercise.points,
            message=one_line(verdict.message),
            misconception=_quoting(verdict.misconception, SENTENCES_AT_MOST),
            key=_quoting(verdict.key, KEY_AT_MOST),
        )

    def with_provided(
        self, index: int, exercise: ReleasedExercise, sources: list[tuple[int, str]]
    ) -> Verdict:
        """The verdict with sources that run before the cells of certain places. Raises Gone."""
        with self._execution.providing(sources):
            return self._asked(index, exercise, plan(exercise.name, self._seed))

    def _asked(self, index: int, exercise: ReleasedExercise, foreseen: Plan) -> Verdict:
        """Judge, asking everything at once as long as the check asks what was foreseen."""
        session, name = self._execution.ready(index), exercise.name
        right = Recording(foreseen.answers, patterns.read(exercise.patterns))
        if foreseen.holds:
            try:
                with self._execution.timed(session) as deadline, checking_memory():
                    ahead = Ahead(session, foreseen, deadline)
                    verdict = ahead.recalled()
                    if verdict is None:
                        verdict = judge(name, ahead, right, self._seed, more=True)
                        ahead.keep(verdict)
                self._stop(session, deadline, ahead.lost)
                return verdict
            except Unforeseen:
                # What was asked for nothing may have left traces: begin again in a new session.
                foreseen.holds = ahead.failed
                self._execution.begin_again()
                session = self._execution.ready(index)
        with self._execution.timed(session) as deadline, checking_memory():
            home = SandboxHome(session, deadline, max(foreseen.sizes, default=0))
            verdict = judge(name, home, right, self._seed, more=True)
        if home.lost:  # after the verdict, which stands
            self._execution.begin_again()
        else:
            with lost_as_gone():
                session.limit_memory(None)
        return verdict

    def _stop(self, session: Session, deadline: Deadline, lost: bool) -> None:
        """Leave the rest of a failed check unasked; who does not stop in time is ended."""
        if lost:
            self._execution.begin_again()
            return
        try:
            session.stop(max(1.0, deadline.left()))
            session.limit_memory(None)
        except (SandboxError, WireError):
            self._execution.begin_again()

    def _explained(self, verdict: Verdict, exercise: ReleasedExercise) -> Verdict:
        """The verdict with the submission's own error first, where that is what failed."""
        lacking = NOT_DEFINED.search(verdict.message)
        if not lacking:
            return verdict
        # What is not there was not misunderstood, whatever is made of the error that it ends with.
        verdict = replace(verdict, misconception=None)
        session = self._execution.session
        if session is None:
            return verdict
        request = {"op": "obstacle", "name": exercise.name, "lacking": lacking[1]}
        try:
            with self._execution.timed(session) as deadline:
                answer = ask(session, request, deadline)
        except Gone:
            self._execution.close()
            return verdict
        if lacking[1] != exercise.name:
            reason = said_by_submission(short_text(answer.get("reason")))
            if reason:
                self.notes.add(reason)
            reason = reason or self._broken_before(lacking[1])
            return replace(verdict, message=f"{verdict.message} {reason}".strip())
        account = short_text(answer.get("obstacle"))
        obstacle = said_by_submission(account)
        for name in MISSING_NAME.findall(account)[:1]:
            obstacle = f"{obstacle} {self._broken_before(name)}".strip()
        if answer.get("written") is not True:
            text = f"{exercise.name} is not defined in the submission"
            return replace(verdict, status="missing", message=text)
        self.notes.add(obstacle)
        return replace(verdict, message=obstacle or verdict.message)

    def _broken_before(self, name: str) -> str:
        """Which cell would have made a name, where that one broke off; nothing if none did."""
        word = re.compile(rf"\b{re.escape(name)}\b")
        reasons = [reason for source, reason in self.broken.items() if word.search(source)]
        return f"{reasons[-1][0].upper()}{reasons[-1][1:]}." if reasons else ""

    def _look_at_what_it_names(self, exercise: ReleasedExercise) -> None:
        """Tell the teacher of a forbidden function that is named and was not seen to run.

        And of what may call one unseen.
        """
        named = shortcuts(exercise.name, self.ran, find(exercise.name).forbidden)
        if named:
            names = " and ".join(named)
            self.notes.add(
                f"{exercise.name} names the library's own {names}, which was not seen to be called"
            )
        elif doors := unwatched(exercise.name, self.ran):
            self.notes.add(
                f"{exercise.name} goes where its calls cannot be seen ({', '.join(doors)}): look "
                "whether it calls what it is to write"
            )

    def _calls_are_seen(self, index: int) -> bool:
        """Whether a library's function that is called on purpose shows among the calls.

        It does not where the submission has changed what watches them.
        """
        try:
            session = self._execution.ready(index)
            if self._witness[0] is not session:
                name = f"_{secrets.token_hex(8)}"
                self._execution.execute(session, WITNESS.format(name=name))
                self._witness = session, name
            with self._execution.timed(session) as deadline:
                home = SandboxHome(session, deadline, WITNESSED.numel())
                reply = home.answer(CallRequest(self._witness[1], (WITNESSED,), watch=True))
        except Gone as gone:
            self._execution.lose(gone)
            return False
        return bool(used_of(["softmax"], reply.calls or ()))


def _quoting(text: str | None, at_most: int) -> str | None:
    """What may quote the submission, an error's own words or its class's name, made visible."""
    return text and one_line(text, at_most)
