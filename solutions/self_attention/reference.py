"""Chapter 5, self-attention: words that look at each other."""

from collections.abc import Callable

from torch import Tensor, nn

from solutions.attention_layer import scaled_dot_product_attention


class SelfAttention(nn.Module):
    """Attention of a sequence to itself: queries, keys and values are made from the same input.

    `SelfAttention(embed_dim, key_dim, value_dim)` has three linear layers of these names,
    all `nn.Linear` with bias=False: `W_q` and `W_k`, from embed_dim to key_dim, make the queries
    and the keys, and `W_v`, from embed_dim to value_dim, makes the values.

    `forward(x, mask=None)` returns `(output, weights)`: scaled dot-product attention with scores
    over sqrt(key_dim). Every position attends to all positions, itself included.
    Shapes: x (..., L, embed_dim), any leading dimensions; output (..., L, value_dim), weights
    (..., L, L), in which row i holds the weights of position i, which sum to one.
    `mask` is boolean, True where a position may attend to another, and broadcasts to (..., L, L). A
    position that may attend to nothing gets an output and weights of zeros, never NaN.
    Gradients reach x and all parameters and are finite, for rows that are masked fully too. Inputs
    and earlier results are left unchanged; non-contiguous inputs and float64 work. Anything else
    inside the class is up to you; torch's own scaled_dot_product_attention is allowed.
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
    Returns a float, which has no gradient. Inputs and earlier results are left unchanged;
    non-contiguous inputs and float64 work.
    Source: Zaheer et al. 2017, Deep Sets, section 2.2 and definition of equivariance.
    """
    turned, straight = layer(x[permutation]), layer(x)  # (L, ...) each, or tuples of that
    if isinstance(straight, tuple):
        turned, straight = turned[0], straight[0]
    return (turned - straight[permutation]).abs().max().item()
