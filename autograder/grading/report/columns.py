"""The gradebook's scores as the tables that other systems read, the head first.

Every score includes manual points and the late penalty. Who handed nothing in has an empty cell,
which these systems take as "no grade", not as zero. The last column marks the scores to which
answers in words are still to be added.
"""

from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from autograder.grading.course.scores import ChapterScores, Person, Score, Scores
from autograder.grading.report.table import write_table

Row = list[Any]
# Canvas takes every column for an assignment, but for those with "Final Points" in their names.
NOT_YET = "Not yet in Final Points"


def plain(scores: Scores) -> Iterator[Row]:
    """One row for each student and chapter: the columns of nbgrader's own export, quoted."""
    who: Row = ["student_id", "last_name", "first_name", "email"]
    points: Row = ["raw_score", "late_submission_penalty", "score", "max_score"]
    yield ["assignment", "duedate", "timestamp", *who, *points, NOT_YET]
    for chapter in scores.chapters:
        for person in scores.people:
            score = scores.found.get((person.id, chapter.name))
            when = score.handed_in if score else None
            who = [person.id, person.last_name, person.first_name, person.email]
            points = [score.raw, score.penalty, score.final] if score else [None] * 3
            last = [chapter.max_score, _not_yet(scores, person, [chapter])]
            yield [chapter.name, chapter.due, when, *who, *points, *last]


def canvas(scores: Scores) -> Iterator[Row]:
    """Canvas: Grades, Import. New chapters become assignments, known ones are matched by name.

    Students are matched by their Canvas id (nbgrader's `lms_user_id`), else by their login (the
    student's id). The columns up to Section, and the row of possible points, are those of Canvas's
    own export, which its import asks for.
    """
    names = [chapter.name for chapter in scores.chapters]
    yield ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", *names, NOT_YET]
    points = [chapter.max_score for chapter in scores.chapters]
    yield ["    Points Possible", None, None, None, None, *points, None]
    for person in scores.people:
        who = [_family_first(person), person.lms_user_id, None, person.id, None]
        final = [_final(scores, person, chapter) for chapter in scores.chapters]
        yield [*who, *final, _not_yet(scores, person, scores.chapters)]


def moodle(scores: Scores) -> Iterator[Row]:
    """Moodle: Grades, Import, CSV file. Map "ID number" or "Email address", then each chapter.

    The columns are named as in Moodle's own export, "-" stands for no grade as it does there.
    """
    names = [f"{chapter.name} (Real)" for chapter in scores.chapters]
    yield ["First name", "Last name", "ID number", "Email address", *names, NOT_YET]
    for person in scores.people:
        who = [person.first_name, person.last_name, person.id, person.email]
        points = [_final(scores, person, chapter) for chapter in scores.chapters]
        cells = ["-" if one is None else one for one in points]
        yield [*who, *cells, _not_yet(scores, person, scores.chapters)]


def gradescope(scores: Scores) -> Iterator[Row]:
    """The columns of Gradescope's own "Download Grades", for tools that read those."""
    heads = ("{}", "{} - Max Points", "{} - Submission Time", "{} - Lateness (H:M:S)")
    columns = [head.format(chapter.name) for chapter in scores.chapters for head in heads]
    who = ["First Name", "Last Name", "SID", "Email", "Sections"]
    yield [*who, *columns, "Total Lateness (H:M:S)", NOT_YET]
    for person in scores.people:
        cells, late = [], 0.0
        for chapter in scores.chapters:
            score = scores.found.get((person.id, chapter.name))
            cells += _gradescope_cells(chapter, score)
            late += score.late_seconds if score else 0.0
        name = [person.first_name, person.last_name, person.id, person.email, None]
        yield [*name, *cells, _hours(late), _not_yet(scores, person, scores.chapters)]


ROWS: dict[str, Callable[[Scores], Iterator[Row]]] = {
    "canvas": canvas,
    "moodle": moodle,
    "gradescope": gradescope,
    "csv": plain,
}


def write_scores(
    scores: Scores, kind: str, path: Path, chapters: Sequence[str], students: Sequence[str]
) -> int:
    """Write one table, of the chapters and students that are named or of all; how many students.

    What has no points, as the questions before and after the course, is in none.
    """
    counted = {chapter.name for chapter in scores.chapters if chapter.max_score}
    chosen = scores.only(counted & set(chapters or counted) or {""}, students)
    write_table(path, ROWS[kind](chosen))
    return len(chosen.people)


def _not_yet(scores: Scores, person: Person, chapters: Sequence[ChapterScores]) -> str:
    """`02-softmax: 2 answers`, for each chapter where a score is not the last word."""
    counts = {one.name: scores.waiting(person.id, one.name) for one in chapters}
    phrases = [
        f"{name}: {count} answer{'s' if count > 1 else ''}"
        for name, count in counts.items()
        if count
    ]
    return ", ".join(phrases)


def _final(scores: Scores, person: Person, chapter: ChapterScores) -> float | None:
    score = scores.found.get((person.id, chapter.name))
    return score.final if score else None


def _family_first(person: Person) -> str:
    return ", ".join(filter(None, (person.last_name, person.first_name))) or person.id


def _gradescope_cells(chapter: ChapterScores, score: Score | None) -> Row:
    if score is None:
        return [None, chapter.max_score, None, None]
    when = _moment(score.handed_in)
    return [score.final, chapter.max_score, when, _hours(score.late_seconds)]


def _moment(when: datetime | None) -> str | None:
    return f"{when.replace(tzinfo=UTC):%Y-%m-%d %H:%M:%S %z}" if when else None


def _hours(seconds: float) -> str:
    minutes, second = divmod(int(seconds), 60)
    return f"{minutes // 60:02}:{minutes % 60:02}:{second:02}"
