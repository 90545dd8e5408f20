"""What only a teacher can settle, in sentences: answers in words, and scores that are outdated."""

from collections.abc import Iterator, Mapping, Sequence

from autograder.grading.course.scores import ForATeacher
from autograder.grading.text import listed, one_line
from autograder.manifest import ListedChapter

NAMES_AT_MOST = 12
WHERE = "in the formgrader, Manual Grading"


def sentences(cells: Sequence[ForATeacher], chapters: Mapping[str, ListedChapter]) -> Iterator[str]:
    """What waits in each chapter and of whom, then every outdated score."""
    for name in dict.fromkeys(one.chapter for one in cells):
        of_chapter = [one for one in cells if one.chapter == name]
        if waiting := [one for one in of_chapter if one.waits]:
            count, wait = len(waiting), "wait" if len(waiting) > 1 else "waits"
            yield one_line(
                f"{name}: {count} answer{'s' if count > 1 else ''} in words {wait} for a score by "
                f"hand, {WHERE}, and the scores are without {'them' if count > 1 else 'it'}: "
                f"{listed((one.student for one in waiting), NAMES_AT_MOST)}"
            )
        for one in of_chapter:
            if one.outdated:
                yield one_line(outdated(one, chapters.get(name)))


def outdated(one: ForATeacher, chapter: ListedChapter | None) -> str:
    """A score that was given by hand to what was handed in before, and what to do about it."""
    checks = chapter.exercises if chapter else ()
    name = next((check.name for check in checks if check.check_grade_id == one.cell), one.cell)
    before = f"{one.student}, {one.chapter}, {name}: your {one.by_hand:g} by hand is of the work"
    if one.automatic is None:
        return f"{before} before, and the answer was handed in again: look at it {WHERE}"
    return (
        f"{before} before and still counts, where the check gives {one.automatic:g} to what was "
        f"graded since: enter a score again, or clear yours so that the check's counts, {WHERE}"
    )
