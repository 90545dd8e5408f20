"""When a submission came: `timestamp.txt` beside the notebook. What is not plain is not guessed."""

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from autograder.grading.course.reading import plain_content
from autograder.grading.text import one_line

NAME = "timestamp.txt"
LATE = "LATE"  # what stands there where a learning platform says that, and not when
LONGEST = 100
WANTED = "write it as in 2026-10-12 21:58:03 UTC"
LATE_BY_NAME = (
    "it is late by its file's name, which does not say when it came; no points are taken off until "
    f"{NAME} says so: {WANTED}"
)
_DAY_AND_TIME = re.compile(r"(\d{4}-\d\d-\d\d|\d{8})[T ]\d\d.*", re.ASCII)
_UTC = re.compile(r"(.*?) ?(?:UTC|GMT)")


@dataclass(frozen=True)
class Arrival:
    """When a submission came, in UTC without a zone as in nbgrader, or why that is not known."""

    when: datetime | None = None
    problem: str = ""


def arrival(folder: Path) -> Arrival:
    """When the submission in a folder came."""
    try:
        content = plain_content(folder / NAME, LONGEST + 1)
    except FileNotFoundError:
        return Arrival()
    except OSError as error:
        return _unknown(f"cannot be read ({error.strerror})")
    if content is None:
        return _unknown("is not a plain file")
    try:
        text = content.decode("utf-8-sig").strip()
    except UnicodeDecodeError:
        return _unknown("is not text")
    if not text:
        return _unknown("is empty")
    if text == LATE:
        return Arrival(problem=LATE_BY_NAME)
    when = moment(text)
    if when is None:
        quoted = one_line(text, 40)
        return _unknown(f'says "{quoted}", which is neither ISO 8601 nor a time in UTC')
    return Arrival(when)


def _unknown(what: str) -> Arrival:
    return Arrival(problem=f"{NAME} {what}, so it does not count as late: {WANTED}")


def moment(text: str) -> datetime | None:
    """A date with its time, in ISO 8601 or as nbgrader writes it; None for anything else.

    Where no zone is named it is UTC, as in the files that nbgrader's `zip_collect` writes.
    """
    if not _DAY_AND_TIME.fullmatch(text):  # a day alone: it could be its beginning or its end
        return None
    named = _UTC.fullmatch(text)
    try:
        when = datetime.fromisoformat(named[1] if named else text)
        if named and when.tzinfo is not None:
            return None
        return when.astimezone(UTC).replace(tzinfo=None) if when.tzinfo else when
    except (ValueError, OverflowError):
        return None
