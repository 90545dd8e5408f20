"""Where to read again: the section of the chapter in which an exercise stands."""

import json
import re
from pathlib import Path

from autograder.checking.registry import Exercise

FOLDERS = (".", "book", "release/{chapter}", "source/{chapter}")  # where a chapter may lie
HEADING = re.compile(r"^#{1,4} +(.+)$", re.MULTILINE)


def section_of(task: Exercise) -> str:
    """The section above its check, in words; the chapter alone where it is not at hand."""
    chapter = f"chapter {task.chapter}"
    for folder in FOLDERS:
        path = Path(folder.format(chapter=task.chapter)) / f"{task.chapter}.ipynb"
        heading = _heading_above(path, f'check("{task.name}")')
        if heading:
            return f"the section “{heading}” of {chapter}"
    return chapter


def _heading_above(path: Path, text: str) -> str:
    """The last heading before a cell with that text."""
    heading = ""
    try:
        cells = json.loads(path.read_bytes())["cells"]
        for cell in cells:
            source = "".join(cell["source"])
            if cell["cell_type"] == "markdown":
                found = HEADING.findall(source)
                heading = found[-1].strip() if found else heading
            elif text in source:
                return heading
    except (OSError, ValueError, KeyError, TypeError):  # none here, or no notebook
        pass
    return ""
