"""What can be counted in a chapter: python -m tests.book.chapter_counts prints it for all."""

import re
from dataclasses import dataclass, field
from pathlib import Path

import nbformat
from nbformat import NotebookNode

BOOK = Path(__file__).parents[2] / "book"
# A directive's block, up to the fence that closes it.
BLOCK = re.compile(
    r"^(?P<fence>:{3,}|`{3,})\{(?P<kind>[\w-]+)\}(?P<title>[^\n]*)\n(?P<body>.*?)^(?P=fence)[ ]*$",
    re.DOTALL | re.MULTILINE,
)
NOT_PROSE = {"exercise", "dropdown", "quiz"}
SOURCES = re.compile(r"^## Sources\n.*?(?=^## |\Z)", re.DOTALL | re.MULTILINE)
FORMULA = re.compile(r"\$\$.*?\$\$|^```\w*\n.*?^```", re.DOTALL | re.MULTILINE)
FOLDED = {"hide-input", "hide-cell", "remove-input", "remove-cell", "book-only"}
# What a cue does in a figure is no text: book/_ext/cues.py.
STATE = re.compile(r"(\{show\}`[^`<]*?) *<[^`<>]*>(?=`)")
TITLE = re.compile(r".+, (?P<dots>●{1,3}), (?P<minutes>\d+) minutes?, \d+ points?")


@dataclass
class Counts:
    """A chapter in numbers, and what kinds of exercises it has."""

    prose: int = 0  # words
    text: int = 0  # words in all text cells, as blanks divide them
    code: int = 0  # lines that are neither folded nor an exercise's
    questions: int = 0
    most_questions_together: int = 0
    titles: list[str] = field(default_factory=list)  # of the exercises
    machinery: list[str] = field(default_factory=list)  # ids of cells in which some is seen
    imports: list[str] = field(default_factory=list)  # ids of cells that only import
    provided: list[str] = field(default_factory=list)  # ids of cells of earlier chapters' code
    unfolded: list[str] = field(default_factory=list)  # ids of those that are not folded
    predictions: int = 0
    find_outs: int = 0
    graded: list[str] = field(default_factory=list)  # names of what is checked


def words(text: str) -> int:
    """Words with a letter or a digit; a formula in the line is one."""
    return sum(any(sign.isalnum() for sign in word) for word in text.split())


def prose(text: str) -> str:
    """A text without exercises, hints, questions, folded boxes, sources and displayed formulas."""
    text = BLOCK.sub(lambda found: "" if found["kind"] in NOT_PROSE else found[0], text)
    return re.sub(r"\$[^$]+\$", "x", FORMULA.sub("", SOURCES.sub("", text)))


def counted(notebook: NotebookNode) -> Counts:
    """The counts of a chapter."""
    found = Counts()
    for cell in notebook.cells:
        marks = cell.metadata.get("nbgrader", {})
        if cell.cell_type == "markdown":
            _count_text(cell, marks, found)
        elif cell.cell_type == "code":
            _count_code(cell, marks, found)
    return found


def _count_text(cell: NotebookNode, marks: dict, found: Counts) -> None:
    text = STATE.sub(r"\1", cell.source)
    found.text += len(text.split())
    if marks.get("grade"):
        found.find_outs += 1
    else:
        found.prose += words(prose(text))
    blocks = [(block["kind"], block["title"]) for block in BLOCK.finditer(text)]
    found.titles += [title.strip() for kind, title in blocks if kind == "exercise"]
    questions = sum(kind == "quiz" for kind, _ in blocks)
    found.questions += questions
    found.most_questions_together = max(found.most_questions_together, questions)


def _count_code(cell: NotebookNode, marks: dict, found: Counts) -> None:
    tags = set(cell.metadata.get("tags", []))
    if marks.get("grade"):
        found.graded.append(marks["grade_id"].removeprefix("check-"))
    if marks.get("grade") or marks.get("solution"):
        return
    if marks.get("locked"):
        found.provided.append(cell.id)
        found.unfolded += [] if tags & FOLDED else [cell.id]
        return
    found.predictions += "predict(" in cell.source
    if "remove-cell" in tags:
        return
    lines = [line for line in cell.source.split("\n") if line.strip()]
    if re.search(r"\bglue\(|NBVAL|^\s*assert ", cell.source, re.MULTILINE):
        found.machinery.append(cell.id)
    if only_imports(lines):
        found.imports.append(cell.id)
    elif not tags & FOLDED:
        found.code += len(lines)


def only_imports(lines: list[str]) -> bool:
    """Whether a cell only imports and sets up what it imported."""
    return any(re.match(r"import |from ", line) for line in lines) and all(
        re.match(r"(import|from|#) ?|    |\)|(?!review\()[\w.]+\(.*\)$", line) for line in lines
    )


def main() -> None:
    """Print the table."""
    print(f"{'':22}  prose   text   code  questions")
    for path in sorted(BOOK.glob("[0-9][0-9]-*.ipynb")):
        found = counted(nbformat.read(path, as_version=4))
        print(
            f"{path.stem:22} {found.prose:6} {found.text:6} {found.code:6} {found.questions:10}"
            f"   predict {found.predictions}, find out {found.find_outs}"
        )


if __name__ == "__main__":
    main()
