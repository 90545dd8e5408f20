"""What a release is made of and leaves in the course's folder, and what it tells of it."""

from dataclasses import dataclass, field
from pathlib import Path

CHAPTERS = "[0-9][0-9]-*.ipynb"  # in the book's folder
INVENTORY = "inventory.ipynb"  # beside them: what is asked before the first and after the last
PROJECT = "project.ipynb"  # and what learners do on their own after the last, graded by hand
BUNDLE = "attention-course-student.zip"  # in the course's folder


@dataclass
class Released:
    """What a release made, and where it is."""

    course: Path
    bundle: Path
    built: list[str] = field(default_factory=list)
    unchanged: list[str] = field(default_factory=list)
    recorded: list[str] = field(default_factory=list)  # exercises
    bundle_made: bool = False
    notes: list[str] = field(default_factory=list)  # what was found changed, and where it is
