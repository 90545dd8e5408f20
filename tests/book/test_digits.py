"""The two-digit captions: real digits, kept apart, and where they are said to be?"""

import numpy as np
import pytest
import torch
from lab.digits import (
    HALF,
    SIZE,
    WORDS,
    caption,
    digits_split,
    draw_pictures,
    held_out_pictures,
    side_by_side,
)


@pytest.fixture(scope="module")
def data():
    """scikit-learn's own, which takes seconds to import."""
    from sklearn.datasets import load_digits

    return load_digits()


def raw(images):
    """Images [N, 1, 8, 8] as the bytes that scikit-learn's array holds for each."""
    return [image.tobytes() for image in (16 * images[:, 0]).numpy().astype(np.float64)]


def cut_out(pictures, half):
    """The digits in one half of pictures [B, 1, 12, 24], as a set of images for each of the places.

    Where the ink does not touch all edges of its 8 x 8 square, several squares hold all of it.
    """
    for picture in pictures[:, 0, :, half * HALF : (half + 1) * HALF]:
        ink = picture.sum()
        windows = picture.unfold(0, SIZE, 1).unfold(1, SIZE, 1).reshape(-1, SIZE, SIZE)
        yield windows[(windows.sum(dim=(1, 2)) - ink).abs() < 1e-4][:, None]


def test_the_split_holds_every_digit_once_with_its_label(data):
    train, test = digits_split()
    assert (len(train), len(test)) == (1437, 360)
    images, labels = torch.cat([train.images, test.images]), torch.cat([train.labels, test.labels])
    assert sorted(raw(images)) == sorted(image.tobytes() for image in data.images)
    labels_of = {image.tobytes(): n for image, n in zip(data.images, data.target, strict=True)}
    assert [labels_of[key] for key in raw(images)] == labels.tolist()


def test_no_digit_is_on_both_sides_of_the_split():
    train, test = digits_split()
    assert set(raw(train.images)).isdisjoint(raw(test.images))


def test_the_held_out_fifth_has_a_fifth_of_every_class(data):
    _, test = digits_split()
    every = np.bincount(data.target)
    held_out = np.bincount(test.labels.numpy())
    assert np.abs(held_out - every / 5).max() < 1


def test_the_split_cannot_be_changed_by_its_user():
    train, _ = digits_split()
    train.images.zero_()
    assert digits_split()[0].images.sum() > 0


def test_a_picture_shows_its_two_digits_each_in_its_half():
    _, test = digits_split()
    pictures = held_out_pictures()
    assert pictures.images.shape == (1800, 1, HALF, 2 * HALF)
    known = dict(zip(raw(test.images), test.labels.tolist(), strict=True))
    for half in (0, 1):
        shown = zip(cut_out(pictures.images[:200], half), pictures.words[:200, half], strict=True)
        for windows, word in shown:
            assert word.item() in [known.get(key) for key in raw(windows)]


def test_held_out_pictures_show_no_training_digit():
    train, _ = digits_split()
    known = set(raw(train.images))
    for half in (0, 1):
        for windows in cut_out(held_out_pictures().images[:360], half):
            assert known.isdisjoint(raw(windows))


def test_every_held_out_digit_appears_equally_often():
    _, test = digits_split()
    words = held_out_pictures().words
    for half in (0, 1):
        assert torch.equal(words[:, half].bincount(), 5 * test.labels.bincount())
    assert torch.equal(words[:180].flatten().bincount(), test.labels.bincount())


def test_drawn_pictures_show_training_digits_alone():
    train, _ = digits_split()
    pictures = draw_pictures(100, torch.Generator().manual_seed(5))
    known = dict(zip(raw(train.images), train.labels.tolist(), strict=True))
    for half in (0, 1):
        shown = zip(cut_out(pictures.images, half), pictures.words[:, half], strict=True)
        for windows, word in shown:
            assert word.item() in [known.get(key) for key in raw(windows)]


def test_the_same_seed_draws_the_same_pictures():
    one, same, other = (draw_pictures(20, torch.Generator().manual_seed(s)) for s in (1, 1, 2))
    assert torch.equal(one.images, same.images) and torch.equal(one.words, same.words)
    assert not torch.equal(one.images, other.images)
    assert torch.equal(held_out_pictures().images, held_out_pictures().images)


def test_every_place_in_a_half_is_used():
    ones = torch.ones(500, 1, SIZE, SIZE)
    pictures = side_by_side(ones, ones, torch.Generator().manual_seed(0))[:, 0]
    assert (pictures.sum(dim=(1, 2)) == 2 * SIZE * SIZE).all()
    for half in pictures.split(HALF, dim=2):
        corners = half.flatten(1).argmax(dim=1)  # the first pixel with ink is the top left one
        rows, columns = corners // HALF, corners % HALF
        assert len({*zip(rows.tolist(), columns.tolist(), strict=True)}) == (HALF - SIZE + 1) ** 2


def test_digits_of_another_size_are_refused():
    with pytest.raises(ValueError, match=r"\(2, 1, 8, 8\) and right \(3, 1, 8, 8\)"):
        side_by_side(torch.ones(2, 1, 8, 8), torch.ones(3, 1, 8, 8), torch.Generator())


def test_a_caption_is_words():
    assert caption([3, 7]) == "three seven" == caption(torch.tensor([3, 7]))
    assert len(set(WORDS)) == 10
