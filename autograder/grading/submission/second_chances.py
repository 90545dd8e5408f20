"""Two policies over the verdicts of a submission, by which an exercise is judged once more.

What stands in the wrong place counts as what it is, and what fails by an earlier exercise is judged
without that one's fault.
"""

from collections.abc import Sequence

from nbformat import NotebookNode

from autograder.cells import grade_id
from autograder.checking.registry import find
from autograder.checking.verdict import Verdict
from autograder.grading.course.released import ReleasedChapter, ReleasedExercise
from autograder.grading.submission.judging import Judging
from autograder.grading.submission.names_used import definition_of, uses
from autograder.grading.submission.providing import StandingIn, provided_source
from autograder.grading.submission.sandbox_home import Gone


class OwnCells:
    """Where in a notebook the student's own cells define what."""

    def __init__(self, notebook: NotebookNode, chapter: ReleasedChapter, needed: set[int]) -> None:
        self.places = {grade_id(cell): index for index, cell in enumerate(notebook.cells)}
        self.end = len(notebook.cells)
        self._cells = {
            index: cell.source
            for index, cell in enumerate(notebook.cells)
            if index in needed
            and grade_id(cell) not in chapter.locked
            and cell.source not in chapter.demos
        }
        self._names = [exercise.name for exercise in chapter.exercises]

    def defining(self, name: str) -> list[int]:
        """The places of the cells that define `name`."""
        defines = definition_of(name)
        return [index for index, source in self._cells.items() if defines.search(source)]

    def behind(self, name: str) -> int:
        """The place behind the student's own definition of an exercise.

        Where there is none, before the next exercise, since that may use it as it is defined.
        """
        own = self.defining(name)
        if name in self.places:
            own = [self.places[name], *own]
        if own:
            return max(own) + 1
        following = self._names[self._names.index(name) :]
        places = (self.places[other] for other in following if other in self.places)
        return min(places, default=self.end)


def judge_what_stands_below(
    exercises: Sequence[ReleasedExercise],
    verdicts: dict[str, Verdict],
    own: OwnCells,
    judging: Judging,
) -> None:
    """Code in a cell below its check counts as what it is, and both sides are told."""
    for exercise in exercises:
        verdicts[exercise.name] = judging.verdict(own.end, exercise)
        judging.notes.add(
            f"the code of {exercise.name} stands below its check, and was judged there"
        )


def judge_with_what_is_provided(
    exercises: Sequence[ReleasedExercise],
    verdicts: dict[str, Verdict],
    standing: set[str],
    own: OwnCells,
    judging: Judging,
) -> list[ReleasedExercise]:
    """What fails by an earlier exercise is judged with the provided one in its place.

    Whether that one is wrong, not started or missing. By then every verdict on it is in, and no
    session goes on that has seen it. Verdicts that are `standing` are not asked again. Returns
    what was judged so.
    """
    lacking: list[str] = []  # exercises without their points
    again = []
    for exercise in exercises:
        verdict = verdicts.get(exercise.name)
        if verdict is None or verdict.passed:
            continue
        used = uses(exercise.name, judging.ran) if lacking else set()
        # What is to be mended is the reference itself, but for its misconception.
        used.discard(find(exercise.name).reference)
        names = [name for name in lacking if name in used]
        if names and exercise.name not in standing:
            statuses = [verdicts[name].status for name in names]
            standing_in = StandingIn(names, statuses)
            verdict = _with_provided(exercise, verdict, standing_in, own, judging)
            verdicts[exercise.name] = verdict
            again.append(exercise)
        if not verdict.passed and find(exercise.name).reference == exercise.name:
            lacking.append(exercise.name)
    return again


def _with_provided(
    exercise: ReleasedExercise,
    verdict: Verdict,
    standing_in: StandingIn,
    own: OwnCells,
    judging: Judging,
) -> Verdict:
    sources = [(own.behind(name), provided_source(name)) for name in standing_in.names]
    try:
        again = judging.with_provided(own.end + 1, exercise, sources)
    except Gone as gone:
        provided = " and ".join(standing_in.names)
        judging.notes.add(
            f"{exercise.name} was not judged with the provided {provided}: {gone.message}"
        )
        return verdict
    if again.passed:
        judging.notes.add(standing_in.note(exercise.name))
    return standing_in.verdict(verdict, again, exercise.points)
