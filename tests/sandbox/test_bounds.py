"""Is what a check gets bounded by what the reference gives, and the look at sources by size?"""

import symtable
from dataclasses import replace

import pytest
import torch
from nbformat.v4 import new_code_cell, new_notebook

from autograder.grading.course.released import ReleasedChapter
from autograder.grading.submission.names_used import LONGEST_SOURCE
from autograder.grading.submission.needed_cells import ANALYZED, needed_cells
from autograder.remote.requests import (
    CallRequest,
    ConvertRequest,
    LoadRequest,
    Reply,
    TrainRequest,
)
from autograder.remote.wire import FrameLimits, WireError, decode, encode
from autograder.sandbox.bounds import (
    AT_LEAST,
    TIMES,
    allowed,
    bounded,
    checking_memory,
    frame_limits,
    size,
)

X = torch.ones(2, 3)
CALL = CallRequest("f", (X,), {"y": X})


@pytest.mark.parametrize(
    ("wanted", "kept"),
    [
        ({}, {"value"}),
        ({"inputs": True}, {"value", "inputs"}),
        ({"watch": True}, {"value", "calls", "largest"}),
        ({"then": (X,)}, {"value", "later"}),
        ({"gradients": True}, {"value", "gradients"}),
    ],
)
def test_what_nobody_asked_for_is_dropped(wanted, kept):
    tensors = {"0": X, "y": X, "surplus": X}
    gradients = {"inputs": tensors, "parameters": {"W": X}}
    reply = {"value": X, "inputs": tensors, "gradients": gradients, "calls": ["a"], "largest": 6}
    reply["later"] = X
    found = bounded(replace(CALL, **wanted), reply | {"ballast": "x"}, 6).message()
    assert found.keys() == kept
    for part in (found.get("inputs"), found.get("gradients", {}).get("inputs")):
        assert part is None or part.keys() == {"0", "y"}


@pytest.mark.parametrize(
    "request_", [LoadRequest("f", {}), TrainRequest("f", True), ConvertRequest("f", "float64")]
)
def test_what_is_answered_by_nothing_has_no_value(request_):
    assert bounded(request_, {"value": [X] * 100}, 0) == Reply(None)


@pytest.mark.parametrize(
    "value",
    [
        torch.zeros(AT_LEAST + 1),
        torch.zeros(1).expand(1000, 1000),
        [torch.zeros(100)] * 1000,
        "x" * (AT_LEAST + 1),
        {str(number): None for number in range(AT_LEAST // 16)},
        [[]] * (AT_LEAST // 16),
    ],
)
def test_an_answer_far_larger_than_the_right_one_is_an_error_that_says_so(value):
    error = bounded(CALL, {"value": value}, 6).error
    assert error.type == "ValueError" and "too large to look at" in error.message


def test_what_the_reference_gives_may_come_several_times_as_large():
    right = size({"value": torch.zeros(AT_LEAST)})
    assert bounded(CALL, {"value": torch.zeros(AT_LEAST * TIMES)}, right).error is None
    assert allowed(right) == TIMES * right and allowed(6) == AT_LEAST


def test_an_error_is_cut_to_what_is_shown_of_it():
    error = {"type": "T" * 10_000, "bases": ["B" * 10_000] * 10_000, "message": "m" * 10_000}
    assert size(bounded(CALL, {"error": error | {"more": [X] * 1000}}, 6).message()) < 20_000


def test_a_frame_is_refused_before_it_is_unpacked():
    limits = frame_limits(FrameLimits(), 6)
    right = encode({"value": torch.zeros(TIMES * AT_LEAST)})
    assert decode(right, limits)["value"].numel() == TIMES * AT_LEAST
    for value in (torch.zeros(2**22), [torch.zeros(1).expand(2**17)] * 100):
        with pytest.raises(WireError):
            decode(encode(value), limits)


def test_a_check_that_would_take_all_memory_gets_an_error():
    with checking_memory(2**28), pytest.raises(RuntimeError, match="allocate"):
        torch.zeros(2**20, 1) + torch.zeros(2**10)
    assert (torch.zeros(2**14, 1) + torch.zeros(2**10)).numel() == 2**24


@pytest.mark.parametrize(
    "sources",
    [
        ["def f():\n" + "".join(f" a{i}=0\n" for i in range(9000)) + " lambda:0\n" * 9000],
        ["a = 0\n" * (LONGEST_SOURCE // 7) + f"b{number} = 0" for number in range(20)],
        [f"{'x = 0;' * 100}y{number} = 0" for number in range(4000)],
    ],
    ids=["names times functions", "long cells", "many cells"],
)
def test_the_compiler_looks_at_no_more_than_so_much_of_a_submission(monkeypatch, sources):
    looked = []
    known = symtable.symtable
    monkeypatch.setattr(symtable, "symtable", lambda *told: looked.append(told[0]) or known(*told))
    notebook = new_notebook(cells=[new_code_cell(source) for source in sources])
    chapter = ReleasedChapter("c", (), {}, "", {}, frozenset())
    assert needed_cells(notebook, chapter) == set(range(len(sources)))
    assert sum(map(len, looked)) <= ANALYZED
    assert all(source.count("lambda") * len(set(source.split())) <= 10**7 for source in looked)
