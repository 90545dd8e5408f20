"""Are the common cases what they say they are?"""

import pytest
import torch

from autograder.checking import Failure, cases
from tests.checking.samples import subject


def test_each_size_is_one_once():
    sizes = dict(cases.each_one(B=2, L=5))
    assert sizes == {"B = 1": {"B": 1, "L": 5}, "L = 1": {"B": 2, "L": 1}}


def test_large_whole_numbers_do_not_survive_a_detour():
    large = cases.large_whole_numbers()
    for dtype in (torch.float32, torch.float64):
        assert not torch.equal(large.to(dtype).to(large.dtype), large)


def test_low_scores_are_below_what_is_put_in_the_place_of_minus_infinity():
    low = cases.low_scores(2, 3)
    for instead in (-1e3, -1e4):
        filled = low.masked_fill(torch.tensor([False, False, True]), instead)
        assert (filled.softmax(-1)[:, 2] > 0.3).all()


def test_a_loop_is_seen():
    few, many = (torch.ones(3, 2),), (torch.ones(30, 2),)
    cases.without_a_loop(subject(lambda x: 2 * x), few, many)
    with pytest.raises(Failure, match="in a loop"):
        cases.without_a_loop(subject(lambda x: torch.stack([2 * row for row in x])), few, many)
