"""Chapter 7, multi-head attention: several relations at once."""

import torch
from torch import Tensor, nn

from solutions.attention_layer import scaled_dot_product_attention


def split_heads(x: Tensor, num_heads: int) -> Tensor:
    """Cut every vector into `num_heads` pieces, and give each head its own sequence of pieces.

    Head h gets features h * D to (h + 1) * D - 1 of every position, where D = E / num_heads.

    Shapes: x (B, L, E); returns (B, H, L, D) with H = num_heads.
    Raises ValueError if E is not divisible by num_heads; the message names both numbers.
    Gradients reach `x`. Inputs and earlier results are left unchanged; non-contiguous inputs and
    float64 work.
    Source: Vaswani et al. 2017, section 3.2.2.
    """
    B, L, E = x.shape
    D, rest = divmod(E, num_heads)
    if rest:
        raise ValueError(
            f"split_heads: embed_dim {E} does not divide into num_heads {num_heads} "
            f"({E} = {D} * {num_heads} + {rest})"
        )
    return x.reshape(B, L, num_heads, D).transpose(1, 2)  # (B, H, L, D)


def merge_heads(x: Tensor) -> Tensor:
    """Put the pieces of all heads side by side again: the exact inverse of `split_heads`.

    Shapes: x (B, H, L, D); returns (B, L, E) with E = H * D, in which head h is features
    h * D to (h + 1) * D - 1.
    Gradients reach `x`. Inputs and earlier results are left unchanged; non-contiguous inputs and
    float64 work.
    Source: Vaswani et al. 2017, section 3.2.2 (there: Concat).
    """
    B, H, L, D = x.shape
    return x.transpose(1, 2).reshape(B, L, H * D)  # (B, L, E)


class MultiHeadAttention(nn.Module):
    """Several attentions side by side, each in a space of its own, and mixed at the end.

    `MultiHeadAttention(embed_dim, num_heads)` has the parameters `W_q`, `W_k`, `W_v` and `W_o`,
    each an `nn.Linear(embed_dim, embed_dim)` with its bias. The first three make queries, keys
    and values; head h takes features h * D to (h + 1) * D - 1 of each, where
    D = embed_dim / num_heads, and attends with scores over sqrt(D). `W_o` is applied to the heads'
    outputs, put side by side in their order.

    `forward(query, key, value, mask=None)` returns `(output, weights)`.
    Shapes: query (B, L, E), key and value (B, S, E); output (B, L, E), weights (B, H, L, S).
    `mask` is boolean, True where a query may attend, and broadcasts to (B, H, L, S). A query that
    may attend to nothing has weights of zeros and heads of zeros, so its output is the bias of
    `W_o`: never NaN.
    Raises ValueError, when constructed, if embed_dim is not divisible by num_heads; the message
    names both numbers.
    Gradients reach the inputs and all parameters and are finite, for rows that are masked fully
    too. Inputs and earlier results are left unchanged; non-contiguous inputs and float64 work.
    Not: nn.MultiheadAttention, F.multi_head_attention_forward, F.scaled_dot_product_attention of
    torch.
    Source: Vaswani et al. 2017, section 3.2.2.
    """

    def __init__(self, embed_dim: int, num_heads: int) -> None:
        super().__init__()
        if embed_dim % num_heads:
            raise ValueError(
                f"MultiHeadAttention: embed_dim {embed_dim} is not divisible by "
                f"num_heads {num_heads}"
            )
        self.num_heads = num_heads
        self.W_q = nn.Linear(embed_dim, embed_dim)
        self.W_k = nn.Linear(embed_dim, embed_dim)
        self.W_v = nn.Linear(embed_dim, embed_dim)
        self.W_o = nn.Linear(embed_dim, embed_dim)

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        query = split_heads(self.W_q(query), self.num_heads)  # (B, H, L, D)
        key = split_heads(self.W_k(key), self.num_heads)  # (B, H, S, D)
        value = split_heads(self.W_v(value), self.num_heads)  # (B, H, S, D)
        # To chapter 4's function the heads are one more batch dimension.
        heads, weights = scaled_dot_product_attention(query, key, value, mask)
        return self.W_o(merge_heads(heads)), weights  # (B, L, E), (B, H, L, S)


def from_torch(mha: nn.MultiheadAttention) -> MultiHeadAttention:
    """This chapter's layer with the weights of torch's: the same outputs, to 1e-5.

    Called with inputs (B, L, E), the result gives what the source gives (in evaluation mode), also
    where the source itself wants (L, B, E), as one that was made with batch_first=False. A source
    that was made with bias=False works: the biases here are zeros then, all four of them. The
    result has the source's dtype and device, and weights of its own: changing them leaves the
    source as it is.
    Raises ValueError for a source with `kdim` or `vdim` other than its embed_dim, whose weights
    fit no layer of this kind.
    Source: the documentation of torch.nn.MultiheadAttention; `in_proj_weight` holds the three
    input projections one below the other.
    """
    if mha.kdim != mha.embed_dim or mha.vdim != mha.embed_dim:
        raise ValueError(
            f"from_torch: embed_dim is {mha.embed_dim}, but kdim is {mha.kdim} and "
            f"vdim is {mha.vdim}"
        )
    layer = MultiHeadAttention(mha.embed_dim, mha.num_heads).to(mha.in_proj_weight)
    projections = layer.W_q, layer.W_k, layer.W_v
    with torch.no_grad():
        for ours, weight in zip(projections, mha.in_proj_weight.chunk(3), strict=True):
            ours.weight.copy_(weight)  # (E, E), a third of (3 * E, E)
        layer.W_o.weight.copy_(mha.out_proj.weight)  # (E, E)
        for ours in (*projections, layer.W_o):
            ours.bias.zero_()
        if mha.in_proj_bias is not None:
            for ours, bias in zip(projections, mha.in_proj_bias.chunk(3), strict=True):
                ours.bias.copy_(bias)  # (E), a third of (3 * E)
            layer.W_o.bias.copy_(mha.out_proj.bias)  # (E)
    return layer


def attention_parameter_count(embed_dim: int, num_heads: int) -> int:
    """How many numbers a `MultiHeadAttention(embed_dim, num_heads)` learns, biases included.

    Returns an int, in closed form: no layer is built.
    Source: Vaswani et al. 2017, section 3.2.2, with a bias for each of the four projections.
    """
    return 4 * (embed_dim * embed_dim + embed_dim)  # W_q, W_k, W_v and W_o, each with its bias
