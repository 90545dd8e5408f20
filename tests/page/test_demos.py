"""A demo is offered in the page where it prints on NumPy, with the references, what is stored.

The oracles: outputs that chapters store, which came of PyTorch, and numbers worked out by hand.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("borch")
ROOT = Path(__file__).parents[2]
HERE = os.environ | {"PYTHONPATH": str(ROOT)}
EXERCISE = {"nbgrader": {"grade_id": "softmax", "solution": True, "grade": False}}
PROVIDED = {"nbgrader": {"grade_id": "provided", "solution": False, "grade": False}}


def cell(name, source, printed="", metadata=None):
    outputs = [{"output_type": "stream", "name": "stdout", "text": [printed]}] if printed else []
    return {
        "id": name,
        "cell_type": "code",
        "source": source.splitlines(keepends=True),
        "outputs": outputs,
        "metadata": metadata or {},
    }


def run(*command, **options):
    result = subprocess.run(
        [sys.executable, *command], cwd=ROOT, capture_output=True, text=True, env=HERE, **options
    )
    assert result.returncode == 0, result.stderr[-2000:]
    return json.loads(result.stdout.splitlines()[-1])


def offered(folder, *cells):
    path = folder / "chapter.ipynb"
    setup = cell("setup", "import torch\nfrom lab import plots\nplots.use_style()")
    path.write_text(json.dumps({"cells": [setup, *cells]}))
    return run("make/page_demos.py", path)["chapter"]


SOLVED = cell("solved", "from solutions.softmax import softmax", metadata=EXERCISE)


def test_a_demo_comes_with_the_cells_that_it_needs(tmp_path):
    demo = cell("demo", "print(softmax(scores).tolist())", "[0.5, 0.5]\n")
    others = [cell("scores", "scores = torch.zeros(2)"), cell("other", "trained = plots.nothing()")]
    found = offered(tmp_path, SOLVED, *others, demo)
    assert found == [
        {"cell": "demo", "needs": ["scores"], "exercises": ["softmax"], "provided": []}
    ]


def test_a_last_line_is_shown_as_a_notebook_shows_it(tmp_path):
    shown = cell("demo", "softmax(torch.zeros(4))", "tensor([0.2500, 0.2500, 0.2500, 0.2500])")
    assert [one["cell"] for one in offered(tmp_path, SOLVED, shown)] == ["demo"]


def test_a_provided_function_is_named(tmp_path):
    provided = cell("given", "from solutions.softmax import softmax, sharpen", metadata=PROVIDED)
    demo = cell("demo", "print(softmax(torch.zeros(1)).item())", "1.0\n")
    assert offered(tmp_path, provided, demo) == [
        {"cell": "demo", "needs": [], "exercises": [], "provided": ["softmax"]}
    ]


@pytest.mark.parametrize(
    "source, printed",
    [
        ("print(softmax(torch.zeros(2)).tolist())", "[0.4, 0.6]\n"),
        ("print(plots.said(softmax(torch.zeros(2))))", "[0.5, 0.5]\n"),
        ("print('no exercise')", "no exercise\n"),
        ("softmax(torch.zeros(2))", ""),
    ],
    ids=["other numbers", "what is not in the page", "no exercise", "nothing printed"],
)
def test_others_are_not_offered(tmp_path, source, printed):
    assert offered(tmp_path, SOLVED, cell("demo", source, printed)) == []


def test_every_early_chapter_offers_demos():
    """Those that draw at random or train are not among them."""
    names = sorted(ROOT.glob("book/0[0-9]-*.ipynb"))
    found = run("make/page_demos.py", *names)
    assert all(found.values())
    assert sum(map(len, found.values())) >= 30


ASKED = """
import autograder.page.start
import json, sys
from autograder.page.session import Session
session = Session()
print(json.dumps([session.answer(one) for one in json.load(sys.stdin)]))
"""


def answers(*requests):
    common = {"imports": ["import torch\nfrom lab import plots"], "before": []}
    return run("-c", ASKED, input=json.dumps([common | one for one in requests]))


def test_a_demo_runs_on_what_the_reader_wrote():
    own = "def softmax(scores, dim=-1):\n    return 'mine'"
    demo = {"before": ["from nowhere import nothing\nscores = 1", own], "demo": "softmax(scores)"}
    assert answers(demo) == [{"printed": "'mine'\n"}]


def test_an_expression_is_computed_with_what_the_reader_wrote():
    """Masked scores come as nothing; what is no number goes back as nothing."""
    own = "def shares(scores):\n    return scores.exp() / scores.exp().sum(dim=-1, keepdim=True)"
    asked = {"before": [own], "expression": "shares(torch.tensor(scores))"}
    rows = [[0.0, 0.0, None], [None, None, None]]
    twice = [asked | {"values": {"scores": rows}}, asked | {"values": {"scores": [1.0]}}]
    first, second = answers(*twice)
    assert first == {"value": [[0.5, 0.5, 0.0], [None, None, None]]}
    assert second == {"value": [1.0]}


LOADED = """
import json, sys
import autograder.page.start
import ast
from autograder.page import session
ast.unparse(ast.parse(r"f'{x}\\x07'"))
print(json.dumps([one for one in sys.modules if one.startswith("encodings.")]))
"""


def test_the_pages_library_has_the_encodings_that_the_engine_uses(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "make"))
    from in_page import UNUSED

    loaded = run("-c", LOADED)
    assert "encodings.unicode_escape" in loaded
    assert [one for one in loaded if UNUSED.match(one.replace(".", "/"))] == []
