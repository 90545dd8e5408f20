"""A chapter as a reader meets it: the notebook's cells without their machinery.

An exercise shows what a student gets: the task, then the stub or the code to be mended, made from
the reference as the release makes it. The cell that checks it is left out: its verdict is on work
that no reader has done. What a cell asks to be predicted is a quiz. All imports stand folded in one
place, with what earlier chapters provide; folds in a row are one.
"""

import itertools
import json
import re
from collections import Counter
from pathlib import Path

from course import chapters, module_of
from docutils import nodes
from predictions import as_quiz
from readers_code import ReadersCode, readers_code, statements
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx_exercise.nodes import is_exercise_node

from autograder.errors import ReleaseError
from autograder.release.debugging_exercises import DebuggingExercises, as_given
from autograder.release.questions import asked, prediction_of
from autograder.release.recipe.cut_stubs import BEGIN, END, stub
from autograder.release.references import References

log = logging.getLogger(__name__)

SOLUTION = re.compile(rf"^( *){BEGIN}$.*?^ *{END}$", re.MULTILINE | re.DOTALL)
IMPORTING = ("Show the imports", "Hide the imports")
HELP = "<summary>Hints, and one way to write it</summary>"
TRAINED = re.compile(r".+: [\d,]+ steps")  # what lab.training leaves of a run
COUNTING = ("Show how it is counted", "Hide how it is counted")


def read(app: Sphinx, doctree: nodes.document) -> None:
    """Make a notebook's page the reader's."""
    root = Path(app.srcdir).parent
    references = References(root / "solutions")
    name_cells(app, doctree)
    exercise = None
    first, imports, provided = None, [], []
    for node in list(doctree.findall(lambda node: is_exercise_node(node) or is_cell(node))):
        if is_exercise_node(node):
            exercise = node
            continue
        join_trainings(node)
        marks = node["cell_metadata"].get("nbgrader", {})
        code = readers_code(source_of(node))
        if marks.get("solution"):
            show_stub(node, exercise, code, references, marks["grade_id"])
            exercise = None
        elif marks.get("grade"):
            node.parent.remove(node)
        elif name := asked(source_of(node)):
            ask(node, name, root / "solutions")
        elif code.imports_only and not shown(node):
            provided += code.provided
            imports += [one for one in statements(code.text) if one not in imports]
            if first is None:
                first = node
            else:
                node.parent.remove(node)
        else:
            provided += code.provided
            replace_code(node, code)
    if first is not None:
        fold_imports(app, first, imports, provided)
    join_folds(doctree)


def is_cell(node: nodes.Node) -> bool:
    return isinstance(node, nodes.container) and node.get("nb_element") == "cell_code"


def name_cells(app: Sphinx, doctree: nodes.document) -> None:
    """Let the page's scripts know which cell of the notebook is which."""
    path = Path(app.env.doc2path(app.env.docname))
    if path.suffix != ".ipynb":
        return
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    for node in doctree.findall(is_cell):
        node["classes"].append(f"cell-id-{cells[node['cell_index']]['id']}")


def part(cell: nodes.container, element: str) -> nodes.container | None:
    return next((child for child in cell if child.get("nb_element") == element), None)


def source_of(cell: nodes.container) -> str:
    written = part(cell, "cell_code_source")
    return written.astext() if written else ""


def shown(cell: nodes.container) -> list[nodes.Node]:
    """A cell's outputs; a number for the prose is none."""
    outputs = part(cell, "cell_code_output")
    return [] if outputs is None else [node for node in outputs if node.children or node.astext()]


def join_trainings(cell: nodes.container) -> None:
    """Put what several trainings in a row say into one block, and the same line once."""
    outputs = part(cell, "cell_code_output") or nodes.container()
    for trained, outputs_in_a_row in itertools.groupby(
        list(outputs), key=lambda output: TRAINED.fullmatch(output.astext()) is not None
    ):
        if not trained:
            continue
        first, *others = outputs_in_a_row
        lines = Counter(output.astext() for output in (first, *others))
        said = [f"{line}, {times} times" if times > 1 else line for line, times in lines.items()]
        put_into(next(first.findall(nodes.literal_block)), "\n".join(said))
        for other in others:
            outputs.remove(other)


def write(cell: nodes.container, text: str) -> None:
    """Put other code into a cell's block."""
    put_into(next(part(cell, "cell_code_source").findall(nodes.literal_block)), text)


def put_into(block: nodes.literal_block, text: str) -> None:
    block.rawsource = text
    block.children = []
    block += nodes.Text(text)


def replace_code(cell: nodes.container, code: ReadersCode) -> None:
    """Show what is left of a cell, if anything."""
    written = part(cell, "cell_code_source")
    if written is not None and code.text:
        write(cell, code.text)
        if code.glues and not shown(cell):  # it counts what the prose says, and shows nothing
            cell["hide_mode"], cell["prompt_show"], cell["prompt_hide"] = "input", *COUNTING
    elif written is not None:
        cell.remove(written)
        if not shown(cell):
            cell.parent.remove(cell)


def join_folds(doctree: nodes.document) -> None:
    """Put folded code that shows nothing into the fold that follows it."""
    for cell in list(doctree.findall(is_cell)):
        place = cell.parent.index(cell) + 1
        follower = cell.parent[place] if place < len(cell.parent) else None
        if follower is None or not is_cell(follower) or shown(cell):
            continue
        if fold_of(cell) is not None and fold_of(cell) == fold_of(follower):
            write(follower, f"{source_of(cell)}\n\n\n{source_of(follower)}")
            cell.parent.remove(cell)


def fold_of(cell: nodes.container) -> str | None:
    """What a cell's folded code is announced by; nothing where its code is not folded."""
    folded = cell.get("hide_mode") == "input" and source_of(cell)
    return cell["prompt_show"] if folded else None


def show_stub(
    cell: nodes.container,
    exercise: nodes.Element | None,
    code: ReadersCode,
    references: References,
    grade: str,
) -> None:
    """Put what a student fills in or mends below the exercise's task, before its hints."""
    stubs = []
    for module, name in code.provided:
        try:
            if broken := DebuggingExercises(references).with_misconception(module, grade):
                stubs.append(as_given(broken, grade))
                continue
            stubs.append(
                SOLUTION.sub(r"\1raise NotImplementedError", stub(references.find(module, name)))
            )
        except ReleaseError as error:
            log.warning("the exercise's stub cannot be shown: %s", error, location=cell)
    text = "\n\n\n".join(stubs)
    block = nodes.literal_block(text, text, language="python", classes=["exercise-stub"])
    if exercise is None:
        cell.replace_self(block)
    else:
        exercise += block
        cell.parent.remove(cell)


def ask(cell: nodes.container, name: str, exercises: Path) -> None:
    """Put a quiz in the place of the cell that asks in a notebook."""
    try:
        cell.replace_self(as_quiz(prediction_of(name, exercises)))
    except LookupError as error:
        log.warning("the question cannot be asked: %s", error, location=cell)


def fold_imports(
    app: Sphinx, cell: nodes.container, imports: list[str], provided: list[tuple[str, str]]
) -> None:
    """Gather all imports in the first cell that had any, folded, and name what comes from where."""
    # What sets something up needs the imports above it.
    write(
        cell, "\n".join(sorted(imports, key=lambda one: not one.startswith(("import ", "from "))))
    )
    cell["hide_mode"], cell["prompt_show"], cell["prompt_hide"] = "input", *IMPORTING
    pages = {module_of(page): page for page in chapters(Path(app.srcdir))}
    by_page: dict[str, list[str]] = {}
    for module, name in dict.fromkeys(provided):
        # What a chapter gives ready-made of its own nobody writes elsewhere.
        if module in pages and pages[module] != app.env.docname:
            by_page.setdefault(pages[module], []).append(name)
    if not by_page:
        return
    words: list[nodes.Node] = [nodes.Text("From other chapters, where you write them: ")]
    for i, (page, names) in enumerate(sorted(by_page.items())):
        words.append(nodes.Text("; " if i else ""))
        for j, name in enumerate(names):
            words += [nodes.Text(", " if j else ""), nodes.literal(name, name)]
        link = addnodes.pending_xref(
            "",
            nodes.inline(),
            refdomain="std",
            reftype="doc",
            reftarget=f"/{page}",
            refexplicit=False,
            refwarn=True,
        )
        words += [nodes.Text(" ("), link, nodes.Text(")")]
    part(cell, "cell_code_source").append(nodes.paragraph("", "", *words, nodes.Text(".")))


def is_dropdown(node: nodes.Node) -> bool:
    return isinstance(node, nodes.Element) and node.get("design_component") == "dropdown"


def is_help(node: nodes.Node) -> bool:
    """Whether a fold below an exercise is about its solution; one may lead further instead."""
    return is_dropdown(node) and not node[0].astext().startswith("Further")


def fold_help(app: Sphinx, doctree: nodes.document) -> None:
    """Put the hints and the reference that follow an exercise behind one fold."""
    for exercise in list(doctree.findall(is_exercise_node)):
        parent = exercise.parent
        first = last = parent.index(exercise) + 1
        while last < len(parent) and is_help(parent[last]):
            last += 1
        if last - first > 1:
            opening = nodes.raw("", f"<details class='exercise-help'>{HELP}", format="html")
            parent.insert(last, nodes.raw("", "</details>", format="html"))
            parent.insert(first, opening)


def name_contents(app: Sphinx, doctree: nodes.document) -> None:
    """Give each exercise's text an id of its own; sphinx-exercise gives all the same."""
    for exercise in doctree.findall(is_exercise_node):
        for section in exercise.findall(nodes.section):
            section["ids"] = [f"{exercise['label']}-content"]


def setup(app: Sphinx) -> dict:
    app.connect("doctree-read", read, priority=300)
    app.connect("doctree-read", fold_help, priority=301)
    app.connect("doctree-read", name_contents, priority=300)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
