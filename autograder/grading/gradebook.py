"""The only writer of nbgrader's gradebook: one transaction a submission."""

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from nbgrader.api import Gradebook
from nbgrader.utils import parse_utc


class Writer:
    """Holds one connection to the gradebook for a whole run."""

    def __init__(self, db_url: str) -> None:
        self._gradebook = Gradebook(db_url)

    def __enter__(self) -> "Writer":
        return self

    def __exit__(self, *error: Any) -> None:
        self._gradebook.close()

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[Gradebook]:
        """nbgrader's own calls commit one by one; here they count as one."""
        database = self._gradebook.db
        commit = database.commit
        database.commit = database.flush
        try:
            yield self._gradebook
            commit()
        except BaseException:
            database.rollback()
            raise
        finally:
            del database.commit
            database.expire_all()

    def write(
        self,
        student: str,
        chapter: str,
        scores: dict[str, float],
        folder: Path,
        untouched: set[str],
    ) -> None:
        """Record the scores of one submission by the grade ids of its check cells.

        A score or comment that a teacher entered by hand stays, and asks for another look.
        """
        with self._transaction() as gradebook:
            gradebook.update_or_create_student(student)
            handed_in = _timestamp(folder)
            when = {"timestamp": handed_in} if handed_in else {}
            with gradebook.db.no_autoflush:
                submission = gradebook.update_or_create_submission(chapter, student, **when)
            for notebook in submission.notebooks:
                for grade in notebook.grades:
                    grade.auto_score = float(scores.get(grade.cell.name, 0.0))
                    grade.needs_manual_grade = grade.manual_score is not None
                for comment in notebook.comments:
                    empty = comment.cell.name in untouched
                    comment.auto_comment = "No response." if empty else None


def _timestamp(folder: Path) -> str | None:
    path = folder / "timestamp.txt"
    try:
        if path.is_symlink() or path.stat().st_size > 100:
            return None
        text = path.read_text(encoding="utf-8").strip()
        parse_utc(text)
    except (OSError, ValueError, OverflowError):
        return None
    return text or None
