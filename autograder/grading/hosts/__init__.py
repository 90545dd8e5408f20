"""Other systems that grade with this engine: Gradescope, GitHub Classroom, nbgrader's commands."""

from typing import Any


def account(one: dict[str, Any]) -> str:
    """What is said of one exercise: that it passed, or the misconception and what was seen."""
    if one["passed"]:
        return "passed"
    return "\n".join(text for text in (one["misconception"], one["message"]) if text)
