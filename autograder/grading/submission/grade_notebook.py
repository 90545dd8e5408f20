"""One submission: its cells run in the sandbox, its checks judged on this side."""

import re
import time
from dataclasses import dataclass, field

import torch
from nbformat import NotebookNode

from autograder.cells import grade_id
from autograder.checking.verdict import Verdict
from autograder.grading.course.released import ReleasedChapter, ReleasedExercise
from autograder.grading.submission.cell_outputs import (
    Room,
    check_outputs,
    error_output,
    output_size,
    raised_output,
    rebuilt_outputs,
    short_text,
)
from autograder.grading.submission.drop_pasted_stubs import drop_pasted_stubs
from autograder.grading.submission.execution import OUTPUT_BYTES, Execution, sources_of
from autograder.grading.submission.judging import Judging
from autograder.grading.submission.needed_cells import needed_cells
from autograder.grading.submission.notes import Notes
from autograder.grading.submission.sandbox_home import Gone
from autograder.grading.submission.second_chances import (
    OwnCells,
    judge_what_stands_below,
    judge_with_what_is_provided,
)
from autograder.notebook.cell_log import beginning
from autograder.sandbox.fork_server import ForkServer
from autograder.sandbox.limits import Limits

OUTPUTS_BYTES = 5_000_000  # of a submission
LOST = ("timeout", "memory", "crashed")  # how a sandbox ends before it has answered
NO_MODULE = re.compile(r"No module named '[\w.]{1,100}'")
PIXELS = 10**8  # of a submission's pictures: what a browser unfolds them to


@dataclass
class GradedNotebook:
    """What grading one notebook found."""

    verdicts: dict[str, Verdict]
    status: str = "graded"
    notes: list[str] = field(default_factory=list)
    seconds: float = 0.0


def grade_notebook(
    notebook: NotebookNode,
    chapter: ReleasedChapter,
    server: ForkServer,
    limits: Limits,
    seed: int,
    standing: dict[str, Verdict] | None = None,
    others_wait: bool = False,
) -> GradedNotebook:
    """Run every cell that grading needs, judge every exercise, and fill in the cells' outputs.

    Verdicts that are `standing`, by exercise, are taken over: those checks are not asked again.
    Where others wait, raises StandsBack if the submission sleeps.
    """
    start = time.monotonic()
    torch.set_num_threads(1)
    walk = _Walk(notebook, chapter, server, limits, seed, standing or {}, others_wait)
    try:
        walk.to_the_end()
        walk.once_more()
    finally:
        walk.execution.close()
    lost = [verdict.status for verdict in walk.standing.values() if verdict.status in LOST]
    status = walk.execution.ended_by or next(iter(lost), "graded")
    return GradedNotebook(walk.verdicts, status, walk.notes.texts, time.monotonic() - start)


class _Walk:
    """From the first cell to the last: each runs, or its exercise is judged."""

    def __init__(
        self,
        notebook: NotebookNode,
        chapter: ReleasedChapter,
        server: ForkServer,
        limits: Limits,
        seed: int,
        standing: dict[str, Verdict],
        others_wait: bool,
    ) -> None:
        self.notes, self.standing, self.verdicts = Notes(), standing, dict(standing)
        unstubbed, notes = drop_pasted_stubs(notebook.cells, chapter)
        for note in notes:
            self.notes.add(note)
        needed = needed_cells(notebook, chapter)
        sources = sources_of(notebook, needed, unstubbed)
        self.execution = Execution(sources, server, limits, others_wait)
        self._judging = Judging(self.execution, seed, self.notes)
        self._own = OwnCells(notebook, chapter, needed)
        self._notebook, self._chapter = notebook, chapter
        self._room = Room(OUTPUTS_BYTES, PIXELS)
        self._below: list[ReleasedExercise] = []  # with code below their checks

    def to_the_end(self) -> None:
        """Every cell that is needed, and every check."""
        exercises = {exercise.check_id: exercise for exercise in self._chapter.exercises}
        for index, cell in enumerate(self._notebook.cells):
            if exercise := exercises.get(grade_id(cell) or ""):
                self._check(index, cell, exercise)
            elif index in self.execution.sources:
                self._run(index, cell)

    def once_more(self) -> None:
        """What deserves it is judged again."""
        verdicts, own, judging = self.verdicts, self._own, self._judging
        judge_what_stands_below(self._below, verdicts, own, judging)
        again = judge_with_what_is_provided(
            self._chapter.exercises, verdicts, set(self.standing), own, judging
        )
        for exercise in (*self._below, *again):
            cell = self._notebook.cells[own.places[exercise.check_id]]
            cell.outputs = check_outputs(verdicts[exercise.name])

    def _check(self, index: int, cell: NotebookNode, exercise: ReleasedExercise) -> None:
        name = exercise.name
        if name not in self.verdicts:
            self.verdicts[name] = self._judging.verdict(index, exercise)
            below = any(later > index for later in self._own.defining(name))
            if below and not self.verdicts[name].passed:
                self._below.append(exercise)
        cell.outputs = check_outputs(self.verdicts[name])

    def _run(self, index: int, cell: NotebookNode) -> None:
        self._judging.ran.append(self.execution.sources[index])
        try:
            reply = self.execution.run(index)
        except Gone as gone:
            cell.outputs = [error_output(gone)]
            self._broke_off(cell, gone)
            return
        room = Room(min(2 * OUTPUT_BYTES, self._room.characters), self._room.pixels)
        cell.outputs = rebuilt_outputs(reply.get("outputs"), room)
        error = reply.get("error")
        cell.outputs += raised_output(error)
        own = cell.source not in self._chapter.demos and grade_id(cell) not in self._chapter.locked
        failed = error if own and isinstance(error, dict) else {}
        module = NO_MODULE.fullmatch(short_text(failed.get("message")))
        if module and failed.get("name") == "ModuleNotFoundError":
            self.notes.add(f"{module[0]}: grading does not have that package")
        self._room.characters -= sum(output_size(output) for output in cell.outputs)
        self._room.pixels = room.pixels

    def _broke_off(self, cell: NotebookNode, gone: Gone) -> None:
        """The cell of an exercise costs that exercise; of another the teacher is told."""
        exercises = [one for one in self._chapter.exercises if one.name == grade_id(cell)]
        for exercise in exercises:
            if exercise.name not in self.standing:
                self.verdicts[exercise.name] = gone.verdict(exercise.name, exercise.points)
        if not exercises:
            begins = f"the cell that begins `{beginning(cell.source)}` broke off"
            self._judging.broken[cell.source] = f"{begins}: {gone.message}"
            self.notes.add(self._judging.broken[cell.source])
