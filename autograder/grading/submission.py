"""One submission: its cells run in the sandbox, its checks judged on this side."""

import secrets
import time
from dataclasses import dataclass, field
from typing import Any

import torch
from nbformat import NotebookNode
from nbformat.v4 import new_output

from autograder.checking import Lost, Verdict, find, judge
from autograder.checking.feedback import Feedback
from autograder.checking.recording import live
from autograder.grading.needed import needed_cells
from autograder.grading.notebook import Chapter, Task, grade_id
from autograder.grading.sandbox import (
    SandboxCrashed,
    SandboxMemory,
    SandboxTimeout,
    Session,
    WarmProcess,
)
from autograder.grading.source import shortcuts
from autograder.grading.wire import WireError

RESTARTS_AT_MOST = 8
OUTPUT_BYTES = 100_000


@dataclass(frozen=True)
class Limits:
    """How long one cell or one check may take, and how much a submission may use."""

    seconds: float = 20.0
    memory_bytes: int = 2 * 2**30
    sandbox: bool = True


class Gone(Lost):
    """The sandbox ended before it answered."""

    def __init__(self, status: str, message: str) -> None:
        self.status = status
        self.message = message
        super().__init__(message)


@dataclass
class SandboxHome:
    """The student's objects, behind a session of the sandbox."""

    session: Session
    deadline: float

    def perform(self, request: dict[str, Any]) -> dict[str, Any]:
        """Ask the sandbox; whatever goes wrong there becomes `Gone`."""
        reply = ask(self.session, request, self.deadline - time.monotonic())
        error = reply.get("error")
        if isinstance(error, dict):
            if str(error.get("type")) == "MemoryError":
                raise Gone("memory", "it ran out of memory")
        elif error is not None or not _complete(request, reply):
            raise Gone("crashed", "it sent an answer that is none")
        return reply


def _complete(request: dict[str, Any], reply: dict[str, Any]) -> bool:
    if "value" not in reply:
        return False
    if request.get("gradients"):
        found = reply.get("gradients")
        parts = (found.get("inputs"), found.get("parameters")) if isinstance(found, dict) else ()
        return len(parts) == 2 and all(
            isinstance(part, dict) and all(isinstance(grad, torch.Tensor) for grad in part.values())
            for part in parts
        )
    calls = reply.get("calls", [])
    return (
        isinstance(reply.get("inputs", {}), dict)
        and isinstance(reply.get("largest", 0), int)
        and isinstance(calls, list)
        and all(isinstance(call, str) for call in calls)
    )


def ask(session: Session, request: dict[str, Any], seconds: float) -> dict[str, Any]:
    """One request to the sandbox; `Gone` with a typed status when no answer comes."""
    try:
        if seconds <= 0:
            raise SandboxTimeout("no time is left")
        reply = session.request(request, seconds)
    except SandboxTimeout:
        raise Gone("timeout", "it did not finish in time") from None
    except SandboxMemory:
        raise Gone("memory", "it ran out of memory") from None
    except (SandboxCrashed, WireError) as error:
        raise Gone("crashed", f"the process ended: {error}") from None
    if not isinstance(reply, dict):
        raise Gone("crashed", "it sent an answer that is none")
    return reply


@dataclass
class Graded:
    """What grading one notebook found."""

    verdicts: dict[str, Verdict]
    status: str = "graded"
    notes: list[str] = field(default_factory=list)
    seconds: float = 0.0


class Run:
    """Executes a notebook in sandboxes, starting a new one when student code brings one down."""

    def __init__(
        self,
        notebook: NotebookNode,
        chapter: Chapter,
        warm: WarmProcess,
        limits: Limits,
        seed: int | None = None,
    ) -> None:
        self.notebook = notebook
        self.chapter = chapter
        self.warm = warm
        self.limits = limits
        self.seed = secrets.randbits(63) if seed is None else seed
        self.tasks = {task.check_id: task for task in chapter.tasks}
        self.graded = Graded({})
        self.session: Session | None = None
        self.poisoned: set[int] = set()
        self.restarts = 0
        self.sources = {task.name: "" for task in chapter.tasks}
        self.needed = needed_cells(notebook, chapter)

    def grade(self) -> Graded:
        """Run every cell that grading needs and judge every exercise."""
        start = time.monotonic()
        torch.set_num_threads(1)
        try:
            for index, cell in enumerate(self.notebook.cells):
                task = self.tasks.get(grade_id(cell) or "")
                if task:
                    self._check(index, cell, task)
                elif index in self.needed:
                    self._run(index, cell)
        finally:
            self._close()
        self.graded.seconds = time.monotonic() - start
        return self.graded

    def _close(self) -> None:
        if self.session is not None:
            self.session.close()
            self.session = None

    def _ready(self, upto: int) -> Session:
        """A live session in which every cell before `upto` has run, but those that broke one."""
        while self.session is None:
            if self.restarts > RESTARTS_AT_MOST:
                raise Gone(self.graded.status, "too many cells of this submission broke off")
            self.restarts += 1
            self.session = self.warm.session()
            for index in sorted(self.needed - self.poisoned):
                if index >= upto:
                    break
                try:
                    self._execute(self.notebook.cells[index])
                except Gone:
                    self.poisoned.add(index)
                    self._close()
                    break
        return self.session

    def _execute(self, cell: NotebookNode) -> dict[str, Any]:
        request = {"op": "run", "source": cell.source, "bytes": OUTPUT_BYTES}
        return ask(self.session, request, self.limits.seconds)

    def _run(self, index: int, cell: NotebookNode) -> None:
        name = grade_id(cell)
        if name in self.sources:
            self.sources[name] = cell.source
        try:
            self._ready(index)
            reply = self._execute(cell)
        except Gone as gone:
            self._lost(gone)
            self.poisoned.add(index)
            cell.outputs = [_error_output(gone)]
            if name in self.sources:
                points = next(task.points for task in self.chapter.tasks if task.name == name)
                self._verdict(Verdict(name, 0.0, points, gone.status, None, _sentence(name, gone)))
            return
        cell.outputs = _outputs(reply.get("outputs"))

    def _check(self, index: int, cell: NotebookNode, task: Task) -> None:
        verdict = self.graded.verdicts.get(task.name)
        if verdict is None:
            verdict = self._judged(index, task)
            self._verdict(verdict)
        cell.outputs = check_outputs(verdict)

    def _judged(self, index: int, task: Task) -> Verdict:
        try:
            session = self._ready(index)
            home = SandboxHome(session, time.monotonic() + self.limits.seconds)
            verdict = judge(task.name, home, live(find(task.name)), self.seed)
        except Gone as gone:
            self._lost(gone)
            text = _sentence(task.name, gone)
            return Verdict(task.name, 0.0, task.points, gone.status, None, text)
        return graded_verdict(verdict, task, self.sources[task.name])

    def _lost(self, gone: Gone) -> None:
        self._close()
        if self.graded.status == "graded":
            self.graded.status = gone.status

    def _verdict(self, verdict: Verdict) -> None:
        self.graded.verdicts[verdict.name] = verdict


def graded_verdict(verdict: Verdict, task: Task, source: str) -> Verdict:
    """The verdict with the release's points, and what only the source can show."""
    banned = shortcuts(source, find(task.name).forbidden) if verdict.passed else []
    if banned:
        text = f"{task.name} uses the library's own {' and '.join(banned)}."
        return Verdict(task.name, 0.0, task.points, "failed", None, text)
    if verdict.status == "failed" and verdict.message.endswith(f"'{task.name}' is not defined"):
        text = f"{task.name} is not defined in the submission"
        return Verdict(task.name, 0.0, task.points, "missing", None, text)
    points = task.points if verdict.passed else 0.0
    return Verdict(
        task.name, points, task.points, verdict.status, verdict.misconception, verdict.message
    )


def _sentence(name: str, gone: Gone) -> str:
    return f"{name}: {gone.message}."


def _error_output(gone: Gone) -> NotebookNode:
    return new_output("error", ename=gone.status, evalue=gone.message, traceback=[gone.message])


def _outputs(raw: Any) -> list[NotebookNode]:
    """The outputs of a cell, rebuilt from what the sandbox says, as plain text and pictures."""
    kept = []
    for output in raw[:100] if isinstance(raw, list) else []:
        if not isinstance(output, dict):
            continue
        kind = output.get("output_type")
        if kind == "stream" and isinstance(output.get("text"), str):
            name = "stderr" if output.get("name") == "stderr" else "stdout"
            kept.append(new_output("stream", name=name, text=output["text"]))
        elif kind == "error":
            lines = output.get("traceback")
            kept.append(
                new_output(
                    "error",
                    ename=str(output.get("ename", "Error"))[:200],
                    evalue=str(output.get("evalue", ""))[:2000],
                    traceback=[str(line) for line in lines] if isinstance(lines, list) else [],
                )
            )
        elif kind in ("display_data", "execute_result") and isinstance(output.get("data"), dict):
            data = {
                mime: value
                for mime, value in output["data"].items()
                if mime in ("text/plain", "image/png") and isinstance(value, str)
            }
            if data:
                kept.append(new_output("display_data", data=data))
    return kept


def check_outputs(verdict: Verdict) -> list[NotebookNode]:
    """What a check cell shows: the feedback, and the points as nbgrader's partial credit."""
    feedback = new_output("display_data", data=Feedback(verdict)._repr_mimebundle_())
    points = new_output("execute_result", data={"text/plain": repr(float(verdict.points))})
    return [feedback, points]
