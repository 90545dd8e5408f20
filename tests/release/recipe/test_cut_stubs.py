"""Stubs: what a learner is given, made from a reference by nbgrader's own ClearSolutions."""

import ast
import inspect
import textwrap
from pathlib import Path

import pytest
from nbformat.v4 import new_code_cell
from nbgrader.preprocessors import ClearSolutions
from traitlets.config import Config

from autograder.checking import exercises
from autograder.errors import ReleaseError
from autograder.release.configuration import configure_release
from autograder.release.recipe.cut_stubs import stub
from autograder.release.references import References
from tests.release.miniature import REPOSITORY


def references_from(folder: Path, text: str) -> References:
    (folder / "one").mkdir()
    (folder / "one" / "reference.py").write_text(textwrap.dedent(text))
    return References(folder)


def cleared(source: str) -> str:
    """What nbgrader makes of it."""
    marks = {"grade": False, "solution": True, "locked": False, "task": False, "grade_id": "x"}
    cell = new_code_cell(source, metadata={"nbgrader": marks | {"schema_version": 3}})
    config = Config()
    configure_release(config, REPOSITORY)
    clear = ClearSolutions(config=config)
    return clear.preprocess_cell(cell, {"language": "python"}, 0)[0].source


def test_a_function_keeps_its_signature_and_docstring(tiny):
    source = cleared(stub(References(tiny / "solutions").find("tiny", "mean")))
    assert source == textwrap.dedent('''\
        def mean(values: Sequence) -> Tensor:
            """The mean of some numbers.

            Shapes: values (S); returns a scalar.
            """
            raise NotImplementedError''')


def test_a_class_keeps_every_method_and_the_call_of_super(tiny):
    source = cleared(stub(References(tiny / "solutions").find("tiny", "Scale")))
    assert source == textwrap.dedent('''\
        class Scale(nn.Module):
            """Multiplies by a learned number per feature."""

            def __init__(self, size: int) -> None:
                super().__init__()
                raise NotImplementedError

            def forward(
                self,
                x: Tensor,  # (..., E)
            ) -> Tensor:
                """Scale x."""
                raise NotImplementedError

            def __len__(self) -> int:
                raise NotImplementedError''')


def test_the_marked_source_still_is_the_reference(tiny):
    references = References(tiny / "solutions")
    for name in ("mean", "Scale"):
        reference = references.find("tiny", name)
        assert ast.dump(ast.parse(stub(reference))) == ast.dump(ast.parse(reference.source))


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("def f(x):\n    return x\n", "f has no docstring"),
        (
            'class f:\n    """F."""\n    def _helper(self):\n        return 1\n',
            "class f has the private method _helper",
        ),
        ('class f:\n    """F."""\n    size = 3\n', "has something that is not a method in line 3"),
        (
            'class f:\n    """F."""\n    def forward(self): return 1\n',
            "the body of forward begins on the line of its signature",
        ),
        ('K = 3\n\ndef f(x):\n    """F."""\n    return K\n', "the module-level name 'K'"),
    ],
)
def test_what_cannot_be_a_stub_is_said_in_one_sentence(tmp_path, text, sentence):
    with pytest.raises(ReleaseError) as caught:
        stub(references_from(tmp_path, text).find("one", "f"))
    assert sentence in str(caught.value)
    assert "\n" not in str(caught.value)


def real_references() -> list[tuple[str, str]]:
    """What is handed out as a stub: a chapter's ready-made code stays whole."""
    return sorted({(exercise.module, exercise.reference) for exercise in exercises().values()})


@pytest.mark.parametrize(("module", "name"), real_references())
def test_the_course_s_stubs_define_the_exercise_and_are_not_implemented(module, name):
    import math
    from collections.abc import Callable, Sequence

    import torch
    from torch import Tensor, nn
    from torch.nn import functional as F

    reference = References(REPOSITORY / "solutions").find(module, name)
    source = cleared(stub(reference))
    namespace = {"math": math, "torch": torch, "Tensor": Tensor, "nn": nn, "F": F}
    namespace |= {"Callable": Callable, "Sequence": Sequence}
    for used in reference.uses:  # provided or written before it
        namespace[used.name] = object
    exec(source, namespace)
    made = namespace[name]
    assert inspect.getdoc(made) == inspect.cleandoc(ast.get_docstring(reference.node))
    parameters = inspect.signature(made).parameters.values()
    needed = [None for item in parameters if item.default is item.empty]
    with pytest.raises(NotImplementedError):
        made(*needed)
