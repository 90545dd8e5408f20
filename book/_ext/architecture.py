"""The course's architecture in one picture: `{architecture}`.

`tests/project/test_architecture.py` holds the arrows against what the code really imports.
"""

from boxes import Box, picture
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

ROWS = [
    [
        Box("chapters", "book: the chapters"),
        Box("make", "make: what the Makefile runs"),
    ],
    [
        Box("entries", "entries: the command, check, nbgrader"),
    ],
    [
        Box("release", "release: the students' notebooks"),
        Box("grading", "grading: verdicts and gradebook"),
    ],
    [
        Box("sandbox", "sandbox: where submissions run"),
        Box("page", "page: the engine in a browser"),
    ],
    [
        Box("notebook", "notebook: what a learner meets"),
        Box("solutions", "solutions: references and checks"),
    ],
    [
        Box("diagnosis", "diagnosis: from events to a sentence"),
        Box("lab", "lab: data, plots, training"),
    ],
    [
        Box("checking", "checking: what a check is"),
    ],
    [
        Box("remote", "remote: calls from here to there"),
        Box("source", "source: Python as text"),
        Box("settings", "settings: what a course says of itself"),
    ],
]
# From what imports to what is imported.
ARROWS = {
    ("chapters", "entries"),
    ("chapters", "lab"),
    ("chapters", "solutions"),
    ("checking", "remote"),
    ("checking", "source"),
    ("diagnosis", "checking"),
    ("diagnosis", "remote"),
    ("diagnosis", "source"),
    ("entries", "grading"),
    ("entries", "lab"),
    ("entries", "notebook"),
    ("entries", "release"),
    ("entries", "sandbox"),
    ("entries", "settings"),
    ("entries", "solutions"),
    ("entries", "source"),
    ("grading", "checking"),
    ("grading", "diagnosis"),
    ("grading", "notebook"),
    ("grading", "remote"),
    ("grading", "sandbox"),
    ("grading", "settings"),
    ("grading", "source"),
    ("make", "entries"),
    ("make", "lab"),
    ("make", "page"),
    ("make", "release"),
    ("make", "remote"),
    ("make", "sandbox"),
    ("make", "settings"),
    ("make", "source"),
    ("page", "checking"),
    ("page", "diagnosis"),
    ("page", "notebook"),
    ("page", "remote"),
    ("page", "source"),
    ("make", "solutions"),
    ("notebook", "checking"),
    ("notebook", "diagnosis"),
    ("notebook", "remote"),
    ("notebook", "settings"),
    ("notebook", "source"),
    ("release", "checking"),
    ("release", "diagnosis"),
    ("release", "notebook"),
    ("release", "settings"),
    ("release", "source"),
    ("sandbox", "notebook"),
    ("sandbox", "remote"),
    ("sandbox", "source"),
    ("solutions", "checking"),
    ("solutions", "remote"),
}


class Architecture(SphinxDirective):
    """The directive; it takes nothing."""

    def run(self) -> list[nodes.Node]:
        arrows = "; ".join(f"{start} imports {end}" for start, end in sorted(ARROWS))
        drawn = picture(ROWS, sorted(ARROWS), f"The parts of the code. {arrows}.")
        return [nodes.raw("", drawn, format="html")]


def setup(app: Sphinx) -> dict:
    app.add_directive("architecture", Architecture)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
