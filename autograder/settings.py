"""What a teacher sets for a course: `course.toml` in the course folder. Every part is optional.

gradebook = "postgresql://grader@localhost/attention"   # else gradebook.db beside this file

[due]
"02-softmax" = 2026-10-12T23:59:00+02:00

[late]
penalty_per_day = 0.1    # the share of the score that each day begun costs
at_most = 0.5            # and the largest share that is taken
grace_minutes = 15       # not counted as late
"""

import tomllib
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from autograder.errors import SettingsError

NAME = "course.toml"


@dataclass(frozen=True)
class LatePolicy:
    """What it costs to hand in late."""

    penalty_per_day: float
    at_most: float = 1.0
    grace_minutes: float = 0.0

    def share(self, seconds_late: float) -> float:
        """The share of the score that is taken: so much for each day begun."""
        late = seconds_late - 60 * self.grace_minutes
        days = -(-late // 86400)
        return min(self.at_most, self.penalty_per_day * max(0.0, days))


def penalty(policy: LatePolicy | None, score: float, seconds_late: float) -> float | None:
    """The points to take off a score; None where nothing is."""
    if policy is None or seconds_late <= 0:
        return None
    return score * policy.share(seconds_late) or None


@dataclass(frozen=True)
class Settings:
    """The settings of one course."""

    gradebook: str
    course_id: str = ""
    due: dict[str, datetime] = field(default_factory=dict)  # UTC, without a zone, as in nbgrader
    late: LatePolicy | None = None


def default_gradebook(course: Path) -> str:
    """The address of the gradebook in the course's folder, which is nbgrader's default too."""
    return f"sqlite:///{course.resolve() / 'gradebook.db'}"


def read_settings(course: Path) -> Settings:
    """The settings in a course folder, or the defaults. Raises SettingsError."""
    path = course / NAME
    default = default_gradebook(course)
    if not path.exists():
        return Settings(default)
    try:
        entries = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise SettingsError(f"{path} is not TOML: {error}.") from None
    _refuse_unknown(path, "", entries, {"course_id", "gradebook", "due", "late"})
    gradebook = entries.get("gradebook", default)
    if not isinstance(gradebook, str) or ":" not in gradebook:
        raise SettingsError(
            f"{path}: gradebook is {gradebook!r}; write a database's address, as in "
            '"postgresql://user@host/name".'
        )
    # PostgreSQL holds to what nbgrader's tables say: every assignment belongs to a named course.
    course_id = entries.get(
        "course_id", "" if gradebook.startswith("sqlite:") else "default_course"
    )
    if not isinstance(course_id, str):
        raise SettingsError(f"{path}: course_id is {course_id!r}; write a name in quotes.")
    due, late = entries.get("due", {}), entries.get("late")
    for name, table in (("due", due), ("late", late)):
        if not isinstance(table, dict | None):
            raise SettingsError(f"{path}: {name} is {table!r}; write a table that begins [{name}].")
    due = {name: _moment(path, name, value) for name, value in due.items()}
    return Settings(gradebook, course_id, due, None if late is None else _policy(path, late))


def _moment(path: Path, name: str, value: Any) -> datetime:
    if not isinstance(value, datetime) or value.tzinfo is None:
        raise SettingsError(
            f"{path}: [due] {name} is {value}; write a time with its offset from UTC, as in "
            "2026-10-12T23:59:00+02:00."
        )
    return value.astimezone(UTC).replace(tzinfo=None)


def _policy(path: Path, late: dict[str, Any]) -> LatePolicy:
    names = {"penalty_per_day": 1.0, "at_most": 1.0, "grace_minutes": float("inf")}
    _refuse_unknown(path, "[late] ", late, set(names))
    if "penalty_per_day" not in late:
        raise SettingsError(f"{path}: [late] has no penalty_per_day, as in penalty_per_day = 0.1.")
    for name, value in late.items():
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise SettingsError(f"{path}: [late] {name} is {value!r}; write a number.")
        if not 0 <= value <= names[name]:
            wanted = "from 0 to 1" if names[name] == 1 else "of 0 or more"
            raise SettingsError(f"{path}: [late] {name} is {value:g}; write a number {wanted}.")
    return LatePolicy(**late)


def _refuse_unknown(path: Path, where: str, entries: dict[str, Any], names: set[str]) -> None:
    if unknown := sorted(set(entries) - names):
        there_are = ", ".join(sorted(names))
        raise SettingsError(f"{path}: there is no setting {where}{unknown[0]}, only {there_are}.")
