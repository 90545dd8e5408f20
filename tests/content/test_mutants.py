"""Every small mistake in a reference must fail its check."""

import ast
import inspect
import textwrap

import pytest
import torch

from autograder.checking import exercises
from autograder.checking.samples import equivalent_mutants
from autograder.source.mutations import mutants
from autograder.source.sources import definition
from tests.content.passing import passes
from tests.content.published import first_of_each_module


@pytest.mark.parametrize("name", first_of_each_module())
def test_every_mutant_fails_its_check(name):
    root = definition(exercises()[name].module, name)
    survivors = set()
    for mutant in mutants(root.code):
        try:
            thing = root.built({name: mutant.source})
        except Exception:  # a default value or a class body that raises
            continue
        if passes(name, thing):
            survivors.add(mutant.description)
    known = {description for exercise, description in equivalent_mutants() if exercise == name}
    assert survivors - known == set(), "the check lets these pass"
    assert known - survivors == set(), "these no longer survive: strike them off the list"


def test_every_entry_of_the_list_has_a_reason():
    assert all(reason.endswith(".") for reason in equivalent_mutants().values())


def test_a_reference_has_mutants_of_every_kind():
    def sample(x, dim=-1, flag=True):
        """Doc."""
        if dim < 0 and flag:
            raise ValueError(f"dim {dim + 1}")
        y = x.sum(dim=dim, keepdim=True) - 0.5
        return y, torch.where(flag, x, y)

    told = {mutant.description for mutant in mutants(textwrap.dedent(inspect.getsource(sample)))}
    for line in (
        "def sample(x, dim=-1, flag=True): => def sample(x, dim=-2, flag=True):",
        "def sample(x, dim=-1, flag=True): => def sample(x, dim=+0, flag=True):",
        "def sample(x, dim=-1, flag=True): => def sample(x, dim=-1, flag=False):",
        "if dim < 0 and flag: => if dim <= 0 and flag:",
        "if dim < 0 and flag: => if dim < 0 or flag:",
        "if dim < 0 and flag: => if not (dim < 0 and flag):",
        "if dim < 0 and flag: => if dim < 1 and flag:",
        "raise ValueError(f'dim {dim + 1}') => raise TypeError(f'dim {dim + 1}')",
        "raise ValueError(f'dim {dim + 1}') => pass",
        "y = x.sum(dim=dim, keepdim=True) - 0.5 => y = x.mean(dim=dim, keepdim=True) - 0.5",
        "y = x.sum(dim=dim, keepdim=True) - 0.5 => y = x.sum(keepdim=True) - 0.5",
        "y = x.sum(dim=dim, keepdim=True) - 0.5 => y = x.sum(dim=dim, keepdim=True) + 0.5",
        "y = x.sum(dim=dim, keepdim=True) - 0.5 => y = x.sum(dim=dim, keepdim=True) - 1.0",
        "y = x.sum(dim=dim, keepdim=True) - 0.5 => y = 0.5 - x.sum(dim=dim, keepdim=True)",
        "y = x.sum(dim=dim, keepdim=True) - 0.5 => dropped",
        "return (y, torch.where(flag, x, y)) => return (torch.where(flag, x, y), y)",
        "return (y, torch.where(flag, x, y)) => return (y, torch.where(x, flag, y))",
    ):
        assert line in told
    assert not any("Doc" in line or "dim - 1" in line for line in told)


def test_what_others_hang_on_the_nodes_that_all_trees_share_is_not_copied(monkeypatch):
    """As IPython's tracebacks do, with the tree of a whole file."""

    class File:
        def __deepcopy__(self, memo):
            raise AssertionError("a file is copied")

    shared = ast.parse("x").body[0].value.ctx
    assert shared is ast.parse("y").body[0].value.ctx
    monkeypatch.setattr(shared, "parent", File(), raising=False)
    assert list(mutants("def double(x):\n    return 2 * x\n"))
