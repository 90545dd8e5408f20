"""Chapter 5, self-attention: words that look at each other."""

import math
from collections.abc import Callable

import torch
from torch import Tensor, nn

from solutions.attention_layer import scaled_dot_product_attention


class SelfAttention(nn.Module):
    """Attention of a sequence to itself: queries, keys and values are made from the same input.

    `SelfAttention(embed_dim, key_dim, value_dim)` has three parameters of these names, all
    `nn.Linear` with bias=False: `W_q` and `W_k`, from embed_dim to key_dim, make the queries and
    the keys, and `W_v`, from embed_dim to value_dim, makes the values.

    `forward(x, mask=None)` returns `(output, weights)`: scaled dot-product attention with scores
    over sqrt(key_dim). Every position attends to all positions, itself included.
    Shapes: x (..., L, embed_dim), any leading dimensions; output (..., L, value_dim), weights
    (..., L, L), in which row i are the weights of position i and sum to one.
    `mask` is boolean, True where a position may attend to another, and broadcasts to (..., L, L). A
    position that may attend to nothing gets an output and weights of zeros, never NaN.
    Gradients reach x and all parameters and are finite, for rows that are masked fully too. Inputs
    are left unchanged; non-contiguous inputs and float64 work. What else is inside the class is
    free; torch's own scaled_dot_product_attention is allowed.
    Source: Vaswani et al. 2017, section 3.2.1, equation 1, and section 3.2.3 for the name.
    """

    def __init__(self, embed_dim: int, key_dim: int, value_dim: int) -> None:
        super().__init__()
        self.W_q = nn.Linear(embed_dim, key_dim, bias=False)
        self.W_k = nn.Linear(embed_dim, key_dim, bias=False)
        self.W_v = nn.Linear(embed_dim, value_dim, bias=False)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        query, key = self.W_q(x), self.W_k(x)  # (..., L, key_dim) each
        value = self.W_v(x)  # (..., L, value_dim)
        return scaled_dot_product_attention(query, key, value, mask)


def equivariance_gap(
    layer: Callable[[Tensor], Tensor | tuple[Tensor, ...]], x: Tensor, permutation: Tensor
) -> float:
    """How far a layer is from treating a sequence as a set: 0 if order makes no difference to it.

    Either the rows of x are put in another order and then go through the layer, or they go through
    the layer and are then put in that order. The gap is the largest absolute difference between
    the two results.

    Shapes: x (L, E); permutation (L), whole numbers, in the order that `x[permutation]` makes;
    layer maps (L, E) to (L, anything). A layer that returns a tuple is judged by its first element.
    Returns a float, which has no gradient. Inputs are left unchanged; non-contiguous inputs and
    float64 work.
    Source: Zaheer et al. 2017, Deep Sets, section 2.2 and definition of equivariance.
    """
    turned, straight = layer(x[permutation]), layer(x)  # (L, ...) each, or tuples of that
    if isinstance(straight, tuple):
        turned, straight = turned[0], straight[0]
    return (turned - straight[permutation]).abs().max().item()


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
    batch, and whatever x is. Position 0 is the first, also if x is shorter than max_length.
    Shapes: x (B, L, E) with L up to max_length; returns (B, L, E).
    Raises ValueError if L is larger than max_length; the message names both lengths.
    Gradients reach x and the vectors. Inputs are left unchanged; non-contiguous inputs and float64
    (after `.double()`) work.
    Graded by behavior: what is inside, its names and its first values are free.
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
    Gradients reach x. Inputs are left unchanged; non-contiguous inputs work, and so does float64,
    with angles in float64 as well.
    Source: Su et al. 2021, RoFormer, section 3.2.2, equations 14, 15 and 34.
    """
    L, D = x.shape[-2:]
    if D % 2 == 1:
        raise ValueError(f"rotate_positions: the last dimension is {D}, wanted an even number")
    position = torch.arange(start, start + L).to(x)  # (L), with the dtype and device of x
    column = torch.arange(0, D, 2).to(x)  # (D / 2)
    angle = torch.outer(position, base ** (-column / D))  # (L, D / 2)
    first, second = x[..., 0::2], x[..., 1::2]  # (..., L, D / 2) each
    turned = torch.stack(
        [
            first * angle.cos() - second * angle.sin(),
            first * angle.sin() + second * angle.cos(),
        ],
        dim=-1,
    )  # (..., L, D / 2, 2)
    return turned.flatten(start_dim=-2)  # (..., L, D)
