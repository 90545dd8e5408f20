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
    ],
    [
        Box("lab", "lab: data, plots, training"),
        Box("solutions", "solutions: references and checks"),
        Box("checking", "checking: what a check is"),
    ],
    [
        Box("settings", "settings: what a course says of itself"),
    ],
]
# From what imports to what is imported.
ARROWS = {
    ("chapters", "lab"),
    ("chapters", "solutions"),
    ("chapters", "entries"),
    ("entries", "release"),
    ("entries", "grading"),
    ("entries", "sandbox"),
    ("entries", "checking"),
    ("entries", "settings"),
    ("entries", "lab"),
    ("entries", "solutions"),
    ("make", "entries"),
    ("make", "sandbox"),
    ("make", "lab"),
    ("make", "solutions"),
    ("release", "checking"),
    ("release", "settings"),
    ("solutions", "checking"),
    ("grading", "checking"),
    ("grading", "sandbox"),
    ("grading", "settings"),
    ("sandbox", "checking"),
}


class Architecture(SphinxDirective):
    """The directive; it takes nothing."""

    def run(self) -> list[nodes.Node]:
        said = "; ".join(f"{start} imports {end}" for start, end in sorted(ARROWS))
        drawn = picture(ROWS, sorted(ARROWS), f"The parts of the code. {said}.")
        return [nodes.raw("", drawn, format="html")]


def setup(app: Sphinx) -> dict:
    app.add_directive("architecture", Architecture)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
