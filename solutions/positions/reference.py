"""Chapter 6, positions: how order comes back."""

import math

import torch
from torch import Tensor, nn


def sinusoidal_positions(length: int, embed_dim: int) -> Tensor:
    """A vector for each position: sines and cosines of the position, from fast ones to slow ones.

    Columns 2i and 2i + 1 are a pair of one frequency: the sine and the cosine of
    position / 10000^(2i / embed_dim). If embed_dim is odd, the last column is a sine alone.

    Shapes: returns (length, embed_dim), float32; row 0 is position 0.
    Source: Vaswani et al. 2017, section 3.5.
    """
    # In float64 on the way, as large angles have few digits left of a turn in float32.
    position = torch.arange(length).double()  # (length)
    column = torch.arange(embed_dim).double()  # (embed_dim)
    angle = torch.outer(position, 10000 ** (-(column - column % 2) / embed_dim))
    return torch.where(column % 2 == 1, angle.cos(), angle.sin()).float()  # (length, embed_dim)


def shift_matrix(offset: int, embed_dim: int) -> Tensor:
    """The matrix that moves every sinusoidal position by `offset`: PE(pos + offset) = M PE(pos).

    PE(pos) is row pos of `sinusoidal_positions`, as a column vector; M is the same for every pos.
    `offset` may be negative or zero.

    Shapes: returns (embed_dim, embed_dim), float32.
    Raises ValueError if embed_dim is odd: the last sine then lacks the cosine to turn with.
    Source: Vaswani et al. 2017, section 3.5.
    """
    if embed_dim % 2 == 1:
        raise ValueError(f"shift_matrix: embed_dim is {embed_dim}, wanted an even number")
    matrix = torch.zeros(embed_dim, embed_dim)  # (E, E)
    for column in range(0, embed_dim, 2):
        angle = offset / 10000 ** (column / embed_dim)
        sine, cosine = math.sin(angle), math.cos(angle)
        pair = slice(column, column + 2)  # sin(a + b) and cos(a + b) from sin(a) and cos(a)
        matrix[pair, pair] = torch.tensor([[cosine, sine], [-sine, cosine]])
    return matrix


class LearnedPositions(nn.Module):
    """A vector for each position, learned like the embedding of a word, and added to it.

    `LearnedPositions(max_length, embed_dim)` holds max_length vectors that are trained.

    `forward(x)` returns x plus the vector of each position: the same for every example of the
    batch, and whatever x is. Position 0 is the first, even if x is shorter than max_length.
    Shapes: x (B, L, E) with L up to max_length; returns (B, L, E).
    Raises ValueError if L is larger than max_length; the message names both lengths.
    Gradients reach x and the vectors. Inputs and earlier results are left unchanged; non-contiguous
    inputs and float64 (after `.double()`) work.
    Graded by behavior: what is inside, with its names and its initial values, is up to you.
    Source: Gehring et al. 2017, Convolutional Sequence to Sequence Learning, section 3.1;
    Vaswani et al. 2017, section 3.5 and table 3, row E.
    """

    def __init__(self, max_length: int, embed_dim: int) -> None:
        super().__init__()
        self.table = nn.Embedding(max_length, embed_dim)

    def forward(self, x: Tensor) -> Tensor:
        L, max_length = x.shape[1], self.table.num_embeddings
        if max_length < L:
            raise ValueError(f"LearnedPositions: length {L} is past max_length {max_length}")
        return x + self.table.weight[:L]  # (B, L, E) + (L, E)


def rotate_positions(x: Tensor, base: float = 10000.0, start: int = 0) -> Tensor:
    """Position as rotation: each pair of neighboring features is turned by an angle that grows.

    Features 2i and 2i + 1 of a vector are the two coordinates of a point in a plane. At position
    pos the point is turned counterclockwise, from the first axis toward the second, by
    pos * base^(-2i / D). The first of the L positions is `start`: 0, or more where a text goes on.
    The dot product of a turned query and a turned key depends on the distance between them, not on
    where they are.

    Shapes: x (..., L, D), any leading dimensions; returns the same shape and dtype. Position is the
    second axis from the end.
    Raises ValueError if D is odd.
    Gradients reach x. Inputs and earlier results are left unchanged; non-contiguous inputs work,
    and so does float64, with angles in float64 as well.
    Source: Su et al. 2021, RoFormer, section 3.2.2, equations 14 and 15;
    section 3.4.2, equation 34.
    """
    L, D = x.shape[-2:]
    if D % 2 == 1:
        raise ValueError(f"rotate_positions: the last dimension is {D}, wanted an even number")
    # In float32 at least, as positions past 256 are not all numbers of bfloat16.
    exact = x if x.dtype == torch.float64 else x.float()
    position = torch.arange(start, start + L).to(exact)  # (L), with its dtype and device
    column = torch.arange(0, D, 2).to(exact)  # (D / 2)
    angle = torch.outer(position, base ** (-column / D))  # (L, D / 2)
    first, second = x[..., 0::2], x[..., 1::2]  # (..., L, D / 2) each
    turned = torch.stack(
        [
            first * angle.cos() - second * angle.sin(),
            first * angle.sin() + second * angle.cos(),
        ],
        dim=-1,
    )  # (..., L, D / 2, 2)
    return turned.flatten(start_dim=-2).to(x)  # (..., L, D)
