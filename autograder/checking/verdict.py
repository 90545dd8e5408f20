"""What a check found: all that is kept of it, as plain data."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
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
    key: str | None = None  # of the misconception, whatever its sentence
    more: Mapping[str, Any] | None = None  # what is shown on request: a small example

    @property
    def passed(self) -> bool:
        return self.status == "passed"

    @classmethod
    def of(cls, record: Mapping[str, Any]) -> "Verdict":
        """The verdict that plain data came from."""
        return cls(**{one.name: record[one.name] for one in fields(cls) if one.name in record})

    def without_example(self) -> dict[str, Any]:
        """What other tools read."""
        return {name: value for name, value in self.as_dict().items() if name != "more"}

    def as_dict(self) -> dict[str, Any]:
        """The verdict as plain data; of an example only where there is one."""
        record = {**asdict(self), "passed": self.passed}
        return record if self.more else {k: v for k, v in record.items() if k != "more"}
