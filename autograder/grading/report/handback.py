"""Feedback pages with what a teacher entered by hand: points, comments, late penalties."""

import json
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from autograder.checking.verdict import Verdict
from autograder.grading.course import side_files
from autograder.grading.course.folder import Course
from autograder.grading.course.journal import Journal, there
from autograder.grading.course.scores import Score, read_scores, reading
from autograder.grading.report.feedback_page import Entered, feedback_page
from autograder.queries import Query

# By student and cell; a comment belongs to the exercise's cell, points to the check's.
ENTERED = """
    SELECT submitted.student_id, base_cell.name, entered.{column}
    FROM {table} AS entered
    JOIN base_cell ON base_cell.id = entered.cell_id
    JOIN submitted_notebook AS notebook ON notebook.id = entered.notebook_id
    JOIN submitted_assignment AS submitted ON submitted.id = notebook.assignment_id
    JOIN assignment ON assignment.id = submitted.assignment_id
    WHERE assignment.name = :chapter AND entered.{column} IS NOT NULL
"""


@dataclass
class HandedBack:
    """What became of the pages."""

    written: int = 0
    stale: list[str] = field(default_factory=list)  # whose work is newer than its grading


def hand_back(course: Course, chapters: Sequence[str] = ()) -> HandedBack:
    """Write every graded submission's page anew, as the gradebook is now."""
    released, journal, done = course.listed(chapters), Journal(course.state), HandedBack()
    with reading(course.settings.gradebook) as query:
        scores = read_scores(query).found
        for chapter in released.values():
            checks = {one.check_grade_id: one.name for one in chapter.exercises}
            by_hand = _entered(query, chapter.name, checks)
            for submission in course.submissions([chapter.name]):
                student = submission.student
                key = journal.shown(student, chapter.name)
                record = journal.record(key) if key else None
                if key is None or record is None:
                    continue
                where = Path(student) / chapter.name
                graded = course.root / "autograded" / where / f"{chapter.name}.ipynb"
                notebook = _graded(graded)
                as_graded = notebook is not None and not _is_rewritten(notebook)
                if not as_graded and record.get("sha256") != submission.sha256:
                    done.stale.append(f"{student}, {chapter.name}")
                    continue
                if notebook is None:
                    notebook = json.loads(there(journal.result(key))["notebook"])
                score = scores.get((student, chapter.name))
                page = _page(record, notebook, score, by_hand[student])
                sent = side_files.sent_with(submission.folder, submission.came)
                files = side_files.for_feedback(sent, journal, student, chapter.name)
                files[f"{chapter.name}.html"] = page.encode()
                side_files.put(course.root / "feedback" / where, files)
                done.written += 1
    return done


def _graded(path: Path) -> dict | None:
    try:
        notebook = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return notebook if isinstance(notebook, dict) and notebook.get("cells") else None


def _is_rewritten(notebook: dict) -> bool:
    """Whether one of nbgrader's commands wrote it, which puts the lines of a source in a list."""
    return any(isinstance(cell["source"], list) for cell in notebook["cells"])


def _page(record: dict, notebook: dict, score: Score | None, by_hand: dict[str, Entered]) -> str:
    """The page with what the gradebook has besides the verdicts: the score, and by exercise."""
    verdicts = [Verdict.of(one) for one in record["exercises"]]
    for cell in notebook["cells"]:
        cell["source"] = "".join(cell["source"])
    if score is not None:
        in_words = sum(one["max_points"] for one in record.get("by_hand", []))
        record = record | {"score": score.final, "max_score": record["max_score"] + in_words}
        if score.penalty:
            text = f"{score.penalty:g} points were taken off for handing in late"
            record |= {"notes": [*record["notes"], text]}
    return feedback_page(record, verdicts, notebook, by_hand)


def _entered(
    query: Query, chapter: str, checks: dict[str, str]
) -> defaultdict[str, dict[str, Entered]]:
    """What was entered by hand, by student and exercise."""
    result: defaultdict[str, dict[str, Entered]] = defaultdict(dict)
    for table, column, part in (
        ("grade", "manual_score", "points"),
        ("comment", "manual_comment", "comment"),
    ):
        for student, cell, value in query(
            ENTERED.format(table=table, column=column), chapter=chapter
        ):
            name = checks.get(cell, cell)
            before = result[student].get(name, Entered())
            result[student][name] = replace(before, **{part: value})
    return result
