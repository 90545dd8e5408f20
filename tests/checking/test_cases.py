"""Are the common cases what they say they are?"""

import torch

from autograder.checking import cases
from autograder.checking.draw import Draw


def test_each_size_is_one_once():
    sizes = dict(cases.each_one(B=2, L=5))
    assert sizes == {"B = 1": {"B": 1, "L": 5}, "L = 1": {"B": 2, "L": 1}}


def test_masks_broadcast_and_only_the_last_leaves_a_query_nothing():
    for seed in range(20):
        *others, (_, last) = cases.masks(Draw(seed), 4, 6, B=3)
        shapes = {tuple(mask.shape) for _, mask in others}
        assert shapes == {(4, 6), (6,), (3, 1, 6), (3, 4, 6)}
        assert all(mask.dtype == torch.bool and mask.any(-1).all() for _, mask in others)
        assert (~last.any(-1)).sum() == 1
