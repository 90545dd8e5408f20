"""A chapter as a reader meets it: stubs, no machinery, every id once."""

import ast
import json
import re
from pathlib import Path

import pytest
from bs4 import BeautifulSoup
from docutils import nodes
from docutils.utils import new_document
from sphinx_exercise.nodes import exercise_node

from autograder.checking import exercises
from tests.book.parsed import SITE, needs_book, parsed

ROOT = Path(__file__).parents[2]
CHAPTERS = sorted((ROOT / "book").glob("[0-9][0-9]-*.ipynb"))
MACHINERY = ["from solutions", "from autograder", "glue(", "NBVAL", "# noqa"]

pytestmark = needs_book


@pytest.fixture
def readers_code(extension):
    return extension("readers_code").readers_code


@pytest.mark.parametrize(
    ("cell", "shown"),
    [
        ("x = 1\nglue('x', x)\nprint(x)", "x = 1\nprint(x)"),
        ("glue(\n    'x',\n    1,\n)\ny = 2", "y = 2"),
        ("for i in range(3):\n    glue(f'x-{i}', i)\nz = 3", "z = 3"),
        ("for i in a:\n    b = i\n    glue('i', i)", "for i in a:\n    b = i"),
        ("# NBVAL_IGNORE_OUTPUT\nx = 1", "x = 1"),
        ("# needs: model, tokenizer\nx = 1  # needs: y", "x = 1  # needs: y"),
        ("assert x == 1, 'one'\nx", "x"),
        ("import math\nfrom autograder import check\nmath.pi", "import math\nmath.pi"),
        (
            "from lab.numbers import glue, interval\ninterval(1)",
            "from lab.numbers import interval\ninterval(1)",
        ),
        ("from lab.numbers import glue\nx", "x"),
        ("%pip install x\nglue('x', 1)", "%pip install x"),
        ("x = (  # not Python", "x = (  # not Python"),
        ("glued = glue_all(x)", "glued = glue_all(x)"),
    ],
)
def test_is_the_machinery_gone_and_all_else_there(readers_code, cell, shown):
    assert readers_code(cell).text == shown


def test_is_what_a_cell_imports_from_references_known(readers_code):
    found = readers_code("import math\nfrom solutions.softmax import softmax, sharpen")
    assert found.provided == [("softmax", "softmax"), ("softmax", "sharpen")]
    assert found.imports_only and found.text == "import math"
    assert not readers_code("import math\nx = math.pi").imports_only


@pytest.mark.parametrize(
    ("titles", "folded"),
    [
        (["Hint 1: where to look", "One way to write it"], 2),
        (["Hint 1: where to look", "One way to write it", "Further: kernels"], 2),
        (["An example answer", "Further: kernels"], 0),
    ],
)
def test_does_a_fold_hold_an_exercises_help_and_not_what_leads_further(extension, titles, folded):
    dropdowns = [
        nodes.container("", nodes.rubric("", title), design_component="dropdown")
        for title in titles
    ]
    document = new_document("")
    document += nodes.section("", exercise_node(), *dropdowns)
    extension("reader").fold_help(None, document)
    parts = [type(node).__name__ for node in document[0]]
    help_and_more = ["raw"] * (folded > 0) + ["container"] * folded + ["raw"] * (folded > 0)
    assert parts == ["exercise_node", *help_and_more, *["container"] * (len(titles) - folded)]


def page_of(chapter: Path) -> BeautifulSoup:
    return parsed(SITE / f"{chapter.stem}.html")


@pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda path: path.stem)
def test_is_there_no_machinery_in_a_chapter(chapter):
    page = page_of(chapter)
    code = [block.get_text() for block in page.select(".cell pre, .exercise pre")]
    assert [text for text in code if any(word in text for word in MACHINERY)] == []
    assert "passed, " not in page.select_one("article").get_text()
    assert len(page.select("details.hide > summary:-soup-contains('Show the imports')")) == 1


@pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda path: path.stem)
def test_does_each_exercise_show_its_stub_and_fold_the_rest(chapter):
    cells = json.loads(chapter.read_text(encoding="utf-8"))["cells"]
    wanted, in_words = {}, 0
    for cell in cells:
        if not cell["metadata"].get("nbgrader", {}).get("solution"):
            continue
        if cell["cell_type"] == "markdown":
            in_words += 1
            continue
        (statement,) = ast.parse("".join(cell["source"])).body
        (given,) = statement.names
        module = ROOT / statement.module.replace(".", "/") / "reference.py"
        for node in ast.parse(module.read_text(encoding="utf-8")).body:
            if getattr(node, "name", "") == given.name:
                wanted[given.asname or given.name] = node
    page = page_of(chapter)
    boxes = page.select(".exercise")
    stubs = [stub for box in boxes if (stub := box.select_one(".exercise-stub pre"))]
    assert len(stubs) == len(wanted) > 0
    assert len(boxes) <= len(stubs) + in_words
    for shown in stubs:
        (stub,) = ast.parse(shown.get_text()).body
        reference = wanted.pop(stub.name)
        assert ast.get_docstring(stub) == ast.get_docstring(reference)
        for one in ast.walk(stub):
            if isinstance(one, ast.FunctionDef):
                left_out = ast.unparse(one.body[-1]) == "raise NotImplementedError"
                assert left_out == (not exercises()[stub.name].mend)
    folds = page.select("details:not(.layer)")
    assert [fold for fold in folds if fold.has_attr("open")] == []


@pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda path: path.stem)
def test_are_folds_in_a_row_one_and_is_the_machines_code_left_out(chapter):
    page = page_of(chapter)
    fold = ".cell_input > details.hide"
    for cell in page.select(".cell"):
        follower = cell.find_next_sibling()
        if follower and cell.select_one(fold) and not cell.select_one(".cell_output"):
            said = [one.summary.get_text() for one in (cell, follower) if one.select_one(fold)]
            assert len(said) == len(set(said)), said
    assert not page.select(".cell:has(figure.stage) pre")


@pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda path: path.stem)
def test_do_trainings_in_a_row_say_it_in_one_block(chapter):
    for cell in page_of(chapter).select(".cell_output"):
        said = [block.get_text().strip() for block in cell.select(".text_plain pre")]
        assert sum(bool(re.search(r": [\d,]+ steps", text)) for text in said) < 2, said


def test_does_a_reader_not_come_upon_pages_for_maintainers():
    page = parsed(SITE / "progress.html")
    assert page.select_one("a.left-prev") and not page.select_one("a.right-next")


@pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda path: path.stem)
def test_has_no_word_of_an_exercise_a_link_that_nobody_wrote(chapter):
    assert page_of(chapter).select(".exercise .first-term") == []


@pytest.mark.parametrize("path", sorted(SITE.glob("*.html")), ids=lambda path: path.stem)
def test_has_a_page_every_id_once(path):
    page = parsed(path)
    ids = [element["id"] for element in page.find_all(id=True)]
    assert sorted(ids) == sorted(set(ids))
