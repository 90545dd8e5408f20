"""`{tested-with}`: when the whole course last ran with the newest PyTorch, from `book/tested.json`.

The weekly run writes that file (`make/tested.py`); without it nothing is said.
"""

import json
from datetime import date
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

RECORD = "tested.json"


def sentence(record: dict[str, str]) -> str:
    """What is said of a run."""
    day = date.fromisoformat(record["date"])
    return (
        f"On {day:%B} {day.day}, {day.year}, every chapter and every test last ran with the newest "
        f"versions of what they stand on, among them PyTorch {record['torch']}."
    )


class TestedWith(SphinxDirective):
    """The directive; it takes nothing."""

    def run(self) -> list[nodes.Node]:
        path = Path(self.env.srcdir) / RECORD
        self.env.note_dependency(str(path))
        if not path.exists():
            return []
        return [nodes.paragraph("", sentence(json.loads(path.read_text(encoding="utf-8"))))]


def setup(app: Sphinx) -> dict:
    app.add_directive("tested-with", TestedWith)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
