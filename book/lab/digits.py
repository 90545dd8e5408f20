"""Handwritten digits: alone, and two side by side in a picture with a caption of two words.

The digits are scikit-learn's `load_digits`: 1,797 grayscale images of 8 x 8 pixels, real
handwriting, shipped with the package. A fixed, stratified fifth of them is held out, and every
picture is made of digits from one side of that split only, so no test picture shows a digit that
was seen in training. The data set does not say who wrote what: a writer may be on both sides.

Sizes: 1,437 training digits and 360 test digits; 1,800 test pictures, in which every test digit
appears five times on the left and five times on the right. Training pictures are drawn afresh.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import torch
from torch import Tensor

WORDS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")

SIZE = 8  # a digit's height and width in pixels
HALF = 12  # a picture's height, and the width of each of its two halves
SPLIT_SEED = 0
ROUNDS = 5  # how often each test digit appears on each side


@dataclass(frozen=True)
class Digits:
    """Single digits: images [N, 1, 8, 8] with ink from 0 to 1, and labels [N], 0 to 9."""

    images: Tensor
    labels: Tensor

    def __len__(self) -> int:
        return len(self.labels)


@dataclass(frozen=True)
class Pictures:
    """Two digits in one picture: images [B, 1, 12, 24] with ink from 0 to 1, words [B, 2].

    `words` counts in WORDS: the left digit's word first, then the right one's.
    """

    images: Tensor
    words: Tensor

    def __len__(self) -> int:
        return len(self.words)


@cache
def _split() -> tuple[Digits, Digits]:
    from sklearn.datasets import load_digits
    from sklearn.model_selection import train_test_split

    data = load_digits()
    images = torch.tensor(data.images, dtype=torch.float32)[:, None] / 16  # [1797, 1, 8, 8]
    labels = torch.tensor(data.target)  # [1797]
    train, test = train_test_split(
        range(len(labels)), test_size=0.2, stratify=data.target, random_state=SPLIT_SEED
    )
    return Digits(images[train], labels[train]), Digits(images[test], labels[test])


def digits_split() -> tuple[Digits, Digits]:
    """The 1,437 training digits and the 360 test digits: always the same stratified fifth."""
    train, test = _split()
    return (
        Digits(train.images.clone(), train.labels.clone()),
        Digits(test.images.clone(), test.labels.clone()),
    )


def side_by_side(left: Tensor, right: Tensor, generator: torch.Generator) -> Tensor:
    """Put two digits into one picture, each at a random place within its own half.

    Shapes: left and right [B, 1, 8, 8]; returns [B, 1, 12, 24]. The left digit lies within
    columns 0 to 11 and the right one within columns 12 to 23.
    """
    if left.shape != right.shape or left.shape[1:] != (1, SIZE, SIZE):
        raise ValueError(
            f"side_by_side: left {tuple(left.shape)} and right {tuple(right.shape)} should both "
            f"be [B, 1, {SIZE}, {SIZE}]"
        )
    B = len(left)
    pictures = left.new_zeros(B, 1, HALF, 2 * HALF)
    room = HALF - SIZE + 1
    place = torch.arange(SIZE)
    example = torch.arange(B)[:, None, None]
    for number, digits in enumerate((left, right)):
        top, start = torch.randint(room, (2, B), generator=generator)  # [B] each
        rows = (top[:, None] + place)[:, :, None]  # [B, 8, 1]
        columns = (number * HALF + start[:, None] + place)[:, None, :]  # [B, 1, 8]
        pictures[example, 0, rows, columns] = digits[:, 0]
    return pictures


def draw_pictures(count: int, generator: torch.Generator) -> Pictures:
    """Draw `count` pictures of two training digits: which, and where they lie, is random."""
    train, _ = _split()
    left, right = torch.randint(len(train), (2, count), generator=generator)
    images = side_by_side(train.images[left], train.images[right], generator)
    return Pictures(images, torch.stack([train.labels[left], train.labels[right]], dim=1))


def held_out_pictures() -> Pictures:
    """The 1,800 test pictures, always the same; the first 180 show every test digit once.

    Every test digit appears ROUNDS times on the left and ROUNDS times on the right.
    """
    _, test = _split()
    generator = torch.Generator().manual_seed(SPLIT_SEED)
    lefts, rights = [], []
    for _ in range(ROUNDS):
        one, other = torch.randperm(len(test), generator=generator).chunk(2)
        lefts += [one, other]
        rights += [other, one.roll(1)]
    left, right = torch.cat(lefts), torch.cat(rights)
    images = side_by_side(test.images[left], test.images[right], generator)
    return Pictures(images, torch.stack([test.labels[left], test.labels[right]], dim=1))


def caption(words: Sequence[int] | Tensor) -> str:
    """The words with these numbers, as a text: [3, 7] is "three seven"."""
    return " ".join(WORDS[int(word)] for word in words)
