"""Does honest work get its points, whatever else the notebook does, and is its own error said?"""

import ast
import json
import tomllib
from importlib.metadata import PackageNotFoundError

import pytest
from nbformat.v4 import new_code_cell, new_notebook

from autograder.cells import grade_id
from autograder.checking import find
from autograder.files import REPOSITORY
from autograder.grading.course.released import ReleasedChapter, ReleasedExercise
from autograder.grading.submission.drop_pasted_stubs import is_stub
from autograder.grading.submission.execution import StandsBack
from autograder.grading.submission.grade_notebook import grade_notebook
from autograder.grading.submission.overwrite_cells import restored
from autograder.notebook import packages
from autograder.notebook.cell_log import modules_imported
from autograder.notebook.packages import LEARNERS, NOTEBOOKS, modules
from autograder.sandbox import probe
from autograder.sandbox.limits import Limits
from tests.sample_class import reference_source

REASON = probe.available()
pytestmark = pytest.mark.skipif(REASON is not None, reason=str(REASON))

SETUP = """\
import math
import torch
from torch import Tensor, nn
from torch.nn import functional as F
from autograder import check"""


def graded(
    warm,
    sources: dict[str, str],
    *before: str,
    after: tuple[str, ...] = (),
    seconds: float = 20,
    change=lambda cells: cells,
    others_wait: bool = False,
):
    """What grading finds in a notebook with these exercises between these cells."""
    exercises = tuple(
        ReleasedExercise(name, find(name).points, f"check-{name}", "") for name in sources
    )
    marks = {
        name: {"grade_id": name, "solution": name == exercise.name, "points": exercise.points}
        for exercise in exercises
        for name in (exercise.name, exercise.check_id)
    }
    chapter = ReleasedChapter("chapter", exercises, {}, "", marks, frozenset())
    cells = [new_code_cell(source) for source in before]
    for name, source in sources.items():
        for mark, text in ((name, source), (f"check-{name}", f'check("{name}")')):
            cells.append(new_code_cell(text, metadata={"nbgrader": {"grade_id": mark}}))
    cells += map(new_code_cell, after)
    notebook = new_notebook(cells=change(cells))
    restored(notebook, chapter)
    return grade_notebook(notebook, chapter, warm, Limits(seconds), seed=7, others_wait=others_wait)


RIGHT = reference_source(find("softmax"))


@pytest.mark.parametrize(
    "more",
    [
        'check("softmax")',
        'print("softmax")',
        '"""softmax, log_softmax"""',
        "x = torch.ones(2, 3)\nassert torch.allclose(softmax(x), torch.softmax(x, -1))",
        "print(nn.Softmax(-1)(torch.ones(3)), F.log_softmax(torch.ones(3), -1))",
        "z = torch.ones(3, requires_grad=True)\nsoftmax(z).sum().backward()\nprint(z.grad)",
        "class Mine:\n    softmax = 3\n    @staticmethod\n    def log_softmax(x): return x",
    ],
)
def test_what_the_cell_does_besides_accuses_nobody(warm, more):
    found = graded(warm, {"softmax": f"{RIGHT}\n\n{more}"}, SETUP)
    assert found.verdicts["softmax"].passed, found.verdicts
    assert found.notes == []


def test_a_static_method_of_the_student_s_own_class_is_not_the_library_s(warm):
    source = RIGHT.replace("def softmax(", "class Mine:\n    @staticmethod\n    def softmax(")
    lines = source.splitlines()
    body = [f"    {line}" if index > 2 else line for index, line in enumerate(lines)]
    call = "\n\ndef softmax(scores, dim=-1):\n    return Mine.softmax(scores, dim)"
    found = graded(warm, {"softmax": "\n".join(body) + call}, SETUP)
    assert found.verdicts["softmax"].passed, found.verdicts["softmax"].message
    assert found.notes == []


def test_what_is_named_and_not_seen_to_run_is_for_the_teacher_and_costs_nothing(warm):
    branch = "    if scores.dim() > 90:\n        return torch.softmax(scores, dim)\n"
    head, _, rest = RIGHT.partition("    lowest")
    found = graded(warm, {"softmax": f"{head}{branch}    lowest{rest}"}, SETUP)
    assert found.verdicts["softmax"].passed
    assert found.notes == [
        "softmax names the library's own softmax, which was not seen to be called"
    ]


@pytest.mark.parametrize(
    "line",
    [
        "import no_such_package as ns",
        "import no_such_package, os; import os.path",
        "%matplotlib widget",
        "%no_such_magic",
        "name = input('Who are you? ')",
        "import torch,",
        "this is no Python",
        "1 / 0",
        "!pip install einops",
    ],
)
def test_a_failing_line_does_not_take_the_rest_of_its_cell(warm, line):
    first, _, rest = SETUP.partition("\n")
    found = graded(warm, {"softmax": RIGHT}, f"{first}\n{line}\n{rest}")
    assert found.verdicts["softmax"].passed, found.verdicts["softmax"].message


def test_a_failing_line_in_the_cell_of_the_exercise_costs_nothing(warm):
    found = graded(warm, {"softmax": f"import no_such_package\n{RIGHT}\n1 / 0"}, SETUP)
    assert found.verdicts["softmax"].passed
    assert found.notes == ["No module named 'no_such_package': grading does not have that package"]


@pytest.mark.parametrize(
    "line",
    [
        "%%writefile helper.py\ndef half(x):\n    return x / 2",
        "import importlib.util\nassert importlib.util.find_spec('nbgrader') is None",
        "torch.use_deterministic_algorithms(True)",
        "torch.set_default_dtype(torch.float64)",
        "torch.set_grad_enabled(False)",
        "import warnings\nwarnings.filterwarnings('error')",
        "from tqdm.auto import tqdm\nfor _ in tqdm(range(3)): pass",
        "del F",
    ],
)
def test_what_a_notebook_sets_or_writes_first_costs_nothing(warm, line):
    use = "from helper import half\n" if "writefile" in line else ""
    found = graded(warm, {"softmax": use + RIGHT}, SETUP, line)
    assert found.verdicts["softmax"].passed, found.verdicts["softmax"].message
    assert found.notes == []


@pytest.mark.parametrize(
    ("head", "first"),
    [
        ("%%time\n", ""),
        ("%%capture\n", ""),
        ("@torch.compile\n", ""),
        ("from __future__ import annotations\n", ""),
        ("", "    breakpoint()\n"),
        ("", "    print(scores)\n"),
    ],
)
def test_what_stands_around_or_in_the_exercise_costs_nothing(warm, head, first):
    begin, _, rest = RIGHT.partition("    lowest")
    found = graded(warm, {"softmax": f"{head}{begin}{first}    lowest{rest}"}, SETUP)
    assert found.verdicts["softmax"].passed, found.verdicts["softmax"].message
    assert found.notes == []


def test_a_syntax_error_is_said_with_its_line(warm):
    found = graded(warm, {"softmax": "def softmax(scores, dim=-1)\n    return scores"}, SETUP)
    verdict = found.verdicts["softmax"]
    assert verdict.status == "failed"
    assert "SyntaxError in line 1: expected ':'" in verdict.message
    assert any("SyntaxError in line 1" in note for note in found.notes)


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("def softmax(scores):\n    x = 1\n  return x", "IndentationError in line 3"),
        ("def softmax(scores):\n    if 1:\n\treturn scores", "TabError in line 3"),
        ("def softmax(scores):\nreturn scores", "IndentationError in line 2"),
        ('def softmax(scores):\n    """Weights.\n    return scores', "SyntaxError in line 2"),
        ("def softmax(scores):\n    return scores)", "SyntaxError in line 2"),
        ("def softmax(scores):\n    return (scores", "SyntaxError in line 2"),
        ("def softmax(scores):\n    return “scores”", "SyntaxError in line 2"),
    ],
)
def test_what_is_no_python_is_there_and_said_with_its_line(warm, source, said):
    found = graded(warm, {"softmax": source}, SETUP)
    assert found.verdicts["softmax"].status == "failed"
    assert said in found.verdicts["softmax"].message
    assert any(said in note for note in found.notes)


def test_a_definition_that_raises_is_not_missing(warm):
    source = RIGHT.replace("scores: Tensor", 'scores: jaxed[Tensor, "L"]')
    found = graded(warm, {"softmax": source}, f"{SETUP}\nfrom no_such_package import jaxed")
    verdict = found.verdicts["softmax"]
    assert verdict.status == "failed"
    assert "name 'jaxed' is not defined" in verdict.message
    assert "No module named 'no_such_package'" in verdict.message


def test_a_name_that_a_failed_import_would_have_made_is_explained(warm):
    source = "def double(x):\n    return ns.twice(x)"
    found = graded(warm, {"double": source}, f"{SETUP}\nimport no_such_package as ns")
    message = found.verdicts["double"].message
    assert "NameError: name 'ns' is not defined" in message
    assert "No module named 'no_such_package'" in message


def test_what_is_not_there_is_missing(warm):
    found = graded(warm, {"double": "x = 1"}, SETUP)
    assert found.verdicts["double"].status == "missing"


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_every_package_of_the_list_can_be_imported(warm, name):
    source = f"import {name}\ndef double(x): return 2 * x"
    found = graded(warm, {"double": source}, SETUP)
    assert found.notes == []


@pytest.mark.parametrize("name", ["nbgrader", "sqlalchemy", "yaml", "rich"])
def test_what_happens_to_be_installed_beside_the_grader_is_not_there(warm, name):
    source = f"import {name}\ndef double(x): return 2 * x"
    found = graded(warm, {"double": source}, SETUP)
    assert found.verdicts["double"].passed
    assert found.notes == [f"No module named '{name}': grading does not have that package"]


def test_the_list_is_the_one_that_is_installed():
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    listed = [line.split(">")[0] for line in project["optional-dependencies"]["notebooks"]]
    assert tuple(listed) == NOTEBOOKS
    assert tuple(line.split(">")[0] for line in project["dependencies"]) == LEARNERS
    pinned = (REPOSITORY / "constraints.txt").read_text(encoding="utf-8")
    assert all(f"\n{name}==" in pinned for name in NOTEBOOKS)
    assert {"torch", "numpy", "einops", "sklearn", "PIL"} <= modules()


def test_the_list_is_the_same_where_the_project_is_not_installed(monkeypatch):
    """On Gradescope its files lie beside the packages that it needs."""
    before, look_up = packages.modules(), packages.requires

    def not_installed(name):
        if name == "attention-course":
            raise PackageNotFoundError(name)
        return look_up(name)

    monkeypatch.setattr(packages, "requires", not_installed)
    found = packages.modules.__wrapped__, packages.for_submissions.__wrapped__
    monkeypatch.setattr(packages, "for_submissions", found[1])
    assert found[0]() == before


STUB = 'def softmax(scores, dim=-1):\n    """Weights."""\n    raise NotImplementedError'


def test_right_code_below_its_check_counts_and_both_are_told(warm):
    found = graded(
        warm, {"softmax": STUB, "double": "def double(x): return 2 * x"}, SETUP, after=(RIGHT,)
    )
    assert found.verdicts["softmax"].passed and found.verdicts["double"].passed
    assert found.notes == ["the code of softmax stands below its check, and was judged there"]


def test_wrong_code_below_its_check_is_told_what_is_wrong_with_it(warm):
    wrong = "def softmax(scores, dim=-1):\n    return scores"
    found = graded(warm, {"softmax": STUB}, SETUP, after=(wrong,))
    assert found.verdicts["softmax"].status == "failed"
    assert "expected" in found.verdicts["softmax"].message


CLASS = """\
class Encoder(nn.Module):
    \"\"\"Blocks, one after the other.\"\"\"

    def __init__(self, *sizes):
        super().__init__()
        raise NotImplementedError

    def forward(self, x):
        raise NotImplementedError"""


@pytest.mark.parametrize("apart", [True, False], ids=["in a cell of its own", "in the same cell"])
def test_a_stub_pasted_below_the_code_does_not_undo_it(warm, apart):
    lines = RIGHT.split("\n")
    whole = f"{RIGHT}\n\n{STUB}\nafter = 3"
    sources = {"softmax": RIGHT if apart else whole, "double": "def double(x): return 2 * x"}
    change = (lambda cells: [*cells[:2], new_code_cell(STUB), *cells[2:]]) if apart else list
    found = graded(warm, sources, SETUP, change=change)
    assert found.verdicts["softmax"].passed and found.verdicts["double"].passed
    assert found.notes == [
        "a stub of softmax stands below its code and would undo it: what counts is the code in "
        f"line {1 + lines.index(next(line for line in lines if line.startswith('def ')))} of cell 2"
    ]


def test_the_last_definition_that_is_no_stub_counts_and_no_other(warm):
    wrong = "def softmax(scores, dim=-1):\n    return scores"
    for last, passed in ((RIGHT, True), (wrong, False)):
        first = wrong if passed else RIGHT
        found = graded(warm, {"softmax": f"{first}\n\n{last}\n\n{STUB}"}, SETUP)
        assert found.verdicts["softmax"].passed == passed
        assert found.verdicts["softmax"].status != "not started"


@pytest.mark.parametrize(
    ("source", "stub"),
    [
        (STUB, True),
        (CLASS, True),
        (STUB.replace("raise", "print(); raise"), False),
        (CLASS.replace("        raise", "        self.sizes = sizes\n        raise", 1), False),
        ("def softmax(scores): pass", False),
        ("def softmax(scores): raise NotImplementedError('mine')", False),
        ("class Encoder: pass", False),
        ("softmax = None", False),
    ],
)
def test_what_is_a_stub_is_as_it_was_given(source, stub):
    assert is_stub(ast.parse(source).body[0]) == stub


BLOCK = ("LayerNorm", "FeedForward", "EncoderBlock", "Encoder")


def block_chapter(**changed: str) -> tuple[dict[str, str], list[str]]:
    provided = ["softmax", "scaled_dot_product_scores", "scaled_dot_product_attention"]
    provided += ["split_heads", "merge_heads", "MultiHeadAttention"]
    sources = {name: reference_source(find(name)) for name in BLOCK} | changed
    return sources, [SETUP, *(reference_source(find(name)) for name in provided)]


@pytest.fixture
def undiagnosed(monkeypatch):
    """Verdicts without a search for the misconception, where it is not what is asked about."""
    monkeypatch.setattr("autograder.diagnosis.judge.diagnose", lambda *_: None)


@pytest.mark.slow
def test_one_wrong_layer_does_not_cost_those_that_use_it(warm, undiagnosed):
    wrong = reference_source(find("LayerNorm")).replace("x - x.mean(dim=-1, keepdim=True)", "x")
    assert "x.mean" not in wrong
    sources, before = block_chapter(LayerNorm=wrong)
    found = graded(warm, sources, *before)
    verdicts = found.verdicts
    assert [verdicts[name].passed for name in BLOCK] == [False, True, True, True]
    assert verdicts["EncoderBlock"].points == find("EncoderBlock").points
    assert "with the provided LayerNorm in place of yours" in verdicts["EncoderBlock"].message
    assert found.notes == [
        f"{name} is right with the provided LayerNorm, and has its points for that"
        for name in ("EncoderBlock", "Encoder")
    ]


@pytest.mark.slow
def test_what_is_wrong_by_itself_too_stays_so(warm, undiagnosed):
    wrong = reference_source(find("LayerNorm")).replace("x - x.mean(dim=-1, keepdim=True)", "x")
    block = reference_source(find("EncoderBlock")).replace("x + self.dropout(attended)", "attended")
    sources, before = block_chapter(LayerNorm=wrong, EncoderBlock=block)
    found = graded(warm, sources, *before)
    assert not found.verdicts["EncoderBlock"].passed
    message = found.verdicts["EncoderBlock"].message
    assert message.endswith("With the provided LayerNorm in place of yours it fails too.")
    assert found.verdicts["Encoder"].passed


JACOBIAN = """\
def softmax_jacobian(scores: Tensor) -> Tensor:
    weights = softmax(scores, dim=0)
    return torch.diag(weights) - torch.outer(weights, weights)"""
NOT_RIGHT = {  # what became of the earlier exercise, and what is said where a later one uses it
    "a stub": (STUB, "since yours is not written yet"),
    "half a stub": ("def softmax(scores, dim=-1):\n    raise NotImplementedError", "not written"),
    "emptied": ("", "since yours is missing"),
    "unreadable": ("def softmax(scores, dim=-1)\n    return scores", "in place of yours"),
    "of another name": ("def my_softmax(scores, dim=-1):\n    return scores", "is missing"),
    "wrong": ("def softmax(scores, dim=-1):\n    return scores", "in place of yours. With yours:"),
    "raises": ("def softmax(scores, dim=-1):\n    return 1 / 0", "in place of yours. With yours:"),
    "endless": ("def softmax(scores, dim=-1):\n    while True: pass", "in place of yours."),
}


@pytest.mark.parametrize(("source", "said"), NOT_RIGHT.values(), ids=NOT_RIGHT)
def test_what_uses_an_earlier_exercise_is_right_whatever_became_of_that(warm, source, said):
    """The later exercise is the same, so it has the same points, by the definition of fairness."""
    found = graded(warm, {"softmax": source, "softmax_jacobian": JACOBIAN}, SETUP, seconds=3)
    verdict = found.verdicts["softmax_jacobian"]
    assert not found.verdicts["softmax"].passed
    assert (verdict.status, verdict.points) == ("passed", find("softmax_jacobian").points)
    assert "Right with the provided softmax" in verdict.message and said in verdict.message
    said_to_the_teacher = "softmax_jacobian is right with the provided softmax, and has its points"
    assert any(note.startswith(said_to_the_teacher) for note in found.notes)


@pytest.mark.parametrize("kept", ["the check", "neither cell"])
def test_an_exercise_whose_cells_are_gone_is_provided_too(warm, kept):
    def without(cells):
        gone = ("softmax",) if kept == "the check" else ("softmax", "check-softmax")
        return [cell for cell in cells if grade_id(cell) not in gone]

    sources = {"softmax": "", "softmax_jacobian": f"HALF = softmax(torch.ones(2))\n{JACOBIAN}"}
    found = graded(warm, sources, SETUP, change=without)
    assert found.verdicts["softmax"].status == "missing"
    assert found.verdicts["softmax_jacobian"].passed, found.verdicts["softmax_jacobian"].message


def test_what_is_wrong_below_its_check_is_provided_below_it(warm):
    wrong = "def softmax(scores, dim=-1):\n    return scores"
    sources = {"softmax": STUB, "softmax_jacobian": JACOBIAN}
    found = graded(warm, sources, SETUP, after=(wrong,))
    assert not found.verdicts["softmax"].passed
    assert found.verdicts["softmax_jacobian"].passed


@pytest.mark.parametrize("source", [STUB, ""], ids=["a stub", "missing"])
def test_what_is_provided_makes_nothing_right_that_is_wrong(warm, source):
    wrong = JACOBIAN.replace("torch.diag(weights) - ", "")
    found = graded(warm, {"softmax": source, "softmax_jacobian": wrong}, SETUP)
    verdict = found.verdicts["softmax_jacobian"]
    assert (verdict.status, verdict.points) == ("failed", 0.0)
    assert verdict.message.startswith("softmax_jacobian uses softmax, which is ")
    assert verdict.message.endswith("With the provided softmax it fails too.")
    assert found.notes == []


def test_a_stub_beside_a_stub_stays_not_started(warm):
    stub = STUB.replace("softmax(scores, dim=-1)", "softmax_jacobian(scores)")
    begun = stub.replace("    raise", "    weights = softmax(scores, dim=0)\n    raise")
    for later in (stub, begun):
        found = graded(warm, {"softmax": STUB, "softmax_jacobian": later}, SETUP)
        verdict = found.verdicts["softmax_jacobian"]
        assert (verdict.status, verdict.points) == ("not started", 0.0)


@pytest.mark.parametrize(
    "own", ["", "    raise NotImplementedError", "    return query @ key.transpose(-2, -1)"]
)
def test_to_mend_is_not_to_call_what_is_provided(warm, own):
    name = "scaled_dot_product_scores"
    written = f"def {name}(query, key):\n{own}" if own else ""
    mend = f"def mend_{name}(query, key):\n    return {name}(query, key)"
    found = graded(warm, {name: written, f"mend_{name}": mend}, SETUP)
    assert not found.verdicts[name].passed
    assert (found.verdicts[f"mend_{name}"].passed, found.notes) == (False, [])


def test_what_is_missing_shows_no_misconception(warm):
    """`sharpen` asks for a ValueError, and there a NameError comes."""
    for source in ("", "x = 1"):
        verdict = graded(warm, {"sharpen": source}, SETUP, seconds=60).verdicts["sharpen"]
        assert (verdict.status, verdict.misconception) == ("missing", None), verdict.message
    lacks = reference_source(find("sharpen")).replace("torch.softmax(", "soft(")
    assert "soft(" in lacks
    verdict = graded(warm, {"sharpen": lacks}, SETUP).verdicts["sharpen"]
    assert "name 'soft' is not defined" in verdict.message
    assert verdict.misconception is None


@pytest.mark.slow
def test_the_reference_of_what_is_judged_is_never_in_the_sandbox(warm):
    """A layer that says what it sees of the others' sources, where one would look for them."""
    spy = (
        "class LayerNorm(nn.Module):\n"
        "    def __init__(self, *_):\n"
        "        import gc, types\n"
        "        codes = [o for o in gc.get_objects() if isinstance(o, types.FunctionType)]\n"
        "        raise ValueError(sorted({o.__qualname__ for o in codes if 'Norm' in o.__qualname__"
        " and o.__module__ == '__main__'}))"
    )
    block = reference_source(find("EncoderBlock")).replace(
        "self.norm_first = norm_first",
        "self.norm_first = norm_first\n        import inspect\n"
        "        raise ValueError(LayerNorm.forward.__code__.co_names)",
    )
    sources, before = block_chapter(LayerNorm=spy, EncoderBlock=block)
    found = graded(warm, sources, *before)
    seen = found.verdicts["LayerNorm"].message.partition(" (line")[0]
    assert "LayerNorm.__init__" in seen and "forward" not in seen
    assert "centered" not in found.verdicts["EncoderBlock"].message
    assert "sqrt" not in found.verdicts["EncoderBlock"].message


def test_no_chapter_imports_what_grading_would_lack():
    """Or each of its checks would say so."""
    lacking = {
        name
        for path in (REPOSITORY / "book").glob("*.ipynb")
        for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]
        if cell["cell_type"] == "code"
        for name in modules_imported("".join(cell["source"]))
    }
    assert packages.not_in_grading(lacking) == []


def test_cells_that_sleep_are_bounded_in_all(warm):
    naps = ["import time", *(f"softmax_{number} = 0; time.sleep(1.7)" for number in range(12))]
    sources = {"softmax": RIGHT + "\n" + "\n".join(f"softmax_{number}" for number in range(12))}
    found = graded(warm, sources, SETUP, *naps, seconds=2)
    assert found.status == "timeout"
    assert found.seconds < 12 * 1.7
    assert "slept or waited for more than 6 seconds in all" in found.verdicts["softmax"].message


def test_who_sleeps_while_others_wait_stands_back(warm):
    with pytest.raises(StandsBack):
        graded(warm, {"softmax": f"import time\ntime.sleep(8)\n{RIGHT}"}, SETUP, others_wait=True)
    found = graded(warm, {"softmax": f"import time\ntime.sleep(1)\n{RIGHT}"}, SETUP)
    assert found.verdicts["softmax"].passed
