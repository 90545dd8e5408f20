"""The same seed draws the same inputs everywhere: some numbers, written down once."""

import pytest
import torch

from autograder.checking.comparing import brief, current_draw, of_two_sizes, shape_text
from autograder.checking.draw import Draw

NORMAL = [[1.375509, -0.57396], [1.160372, -1.989577]]
UNIFORM = [-0.911516, 0.51319]
INTEGERS = [-7, -1, 9, -3]
BOOLEANS = [True, False, False, False]
ORDER = [2, 1, 0, 4, 3]
INT, CHOICE, FLOAT = 60, "b", 0.466283679
WORDS = ["ecaddgh", "cegee"]


def test_numbers_of_the_public_seed():
    draw = Draw(2017)
    drawn = [
        draw.normal(2, L=2),
        draw.uniform(S=2, low=-1.0, high=1.0),
        draw.integers(-9, 10, B=4),
        draw.boolean(L=4),
        draw.permutation(5),
    ]
    assert torch.allclose(drawn[0], torch.tensor(NORMAL), atol=1e-6)
    assert torch.allclose(drawn[1], torch.tensor(UNIFORM), atol=1e-6)
    assert [found.tolist() for found in drawn[2:]] == [INTEGERS, BOOLEANS, ORDER]
    assert (draw.int(0, 100), draw.choice("abc")) == (INT, CHOICE)
    assert draw.float(0.0, 1.0) == pytest.approx(FLOAT)
    assert draw.words(2) == WORDS


def test_dtypes_and_shapes():
    draw = Draw(1)
    assert draw.normal(2, L=3).dtype == draw.uniform(3).dtype == torch.float32
    assert draw.integers(0, 5, 2).dtype == draw.permutation(3).dtype == torch.int64
    assert draw.boolean(2).dtype == torch.bool
    assert draw.normal(2, L=3, D=4).shape == (2, 3, 4)
    assert draw.normal().shape == ()


def test_a_seed_repeats_and_another_differs():
    assert torch.equal(Draw(7).normal(50), Draw(7).normal(50))
    assert not torch.equal(Draw(7).normal(50), Draw(8).normal(50))


def test_bounds_hold():
    draw = Draw(3)
    assert set(draw.integers(-1, 2, 200).tolist()) == {-1, 0, 1}
    uniform = draw.uniform(200, low=2.0, high=3.0)
    assert ((uniform >= 2) & (uniform < 3)).all()
    assert not draw.boolean(50, p=0.0).any() and draw.boolean(50, p=1.0).all()
    assert all(3 <= len(word) <= 7 and set(word) <= set("abcdefgh") for word in draw.words(50))


def test_a_permutation_moves_something():
    for seed in range(20):
        order = Draw(seed).permutation(2)
        assert order.tolist() == [1, 0]
    assert Draw(0).permutation(1).tolist() == [0]


def test_axes_keep_their_names():
    draw = Draw(0)
    draw.normal(2, L=5, D=8)
    draw.boolean(S=5)
    assert draw.axes == {2: {""}, 5: {"L", "S"}, 8: {"D"}}


def test_a_size_that_comes_twice_is_not_named():
    draw = Draw(0)
    token = current_draw.set(draw)
    try:
        x = draw.normal(B=2, L=5)
        assert shape_text(x) == "[B=2, L=5]"
        assert shape_text(x.new_zeros(2, 2, 5)) == "[2, 2, L=5]"
        y = draw.normal(3, 2)  # whose second axis may be another one than B
        assert (shape_text(y), shape_text(x)) == ("[3, 2]", "[2, L=5]")
    finally:
        current_draw.reset(token)


def test_a_name_of_two_sizes_is_given_to_none_of_them():
    """A batch of two and one of three: of `[2, 3]` only one axis can be the batch."""
    draw = Draw(0)
    token = current_draw.set(draw)
    try:
        two, three = draw.normal(B=2, L=5), draw.normal(B=3, L=5)
        assert shape_text(two.new_zeros(2, 3, 5)) == "[2, 3, L=5]"
        assert of_two_sizes([two, three]) == {"B"}
        assert brief(two, of_two_sizes([two, three])) == "[2, L=5]"
        assert brief(two, of_two_sizes([two])) == "[B=2, L=5]"
    finally:
        current_draw.reset(token)
