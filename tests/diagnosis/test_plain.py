"""Is what is said of wrong numbers true of them? The numbers themselves are the judge."""

import pytest
import torch

from autograder.diagnosis import plain


@pytest.mark.parametrize(
    ("got", "want", "said"),
    [
        ([0.0, 0.0, 2.0], [-1.0, 0.0, 2.0], "none is below a limit"),
        ([-1.0, 1.0, 1.0], [-1.0, 1.0, 3.0], "none is above a limit"),
        ([1.0], [0.0], ""),  # one number shows no limit
        ([1.0, 1.0], [0.0, 0.0], ""),
        ([0.0, 0.5, 2.0], [-1.0, 0.0, 2.0], ""),
    ],
)
def test_numbers_are_cut_off_only_where_others_are_not(got, want, said):
    found = plain.Numbers("", torch.tensor(got), torch.tensor(want))
    sentence = plain._clamped(found)
    assert said in sentence if said else not sentence
