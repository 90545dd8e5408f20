"""What a check found: all that is kept of it, as plain data."""

from dataclasses import asdict, dataclass
from typing import Any

# Nothing was done: the stub, or the code to be mended, is as it was given.
UNTOUCHED = ("not started", "not mended")


@dataclass(frozen=True)
class Verdict:
    """What a check found."""

    name: str
    points: float
    max_points: float
    status: str
    misconception: str | None = None
    message: str = ""

    @property
    def passed(self) -> bool:
        return self.status == "passed"

    def as_dict(self) -> dict[str, Any]:
        """The verdict as plain data."""
        return {**asdict(self), "passed": self.passed}
