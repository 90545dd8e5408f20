"""Chapter 9, the Transformer block: everything around attention."""

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from solutions.multi_head import MultiHeadAttention


class LayerNorm(nn.Module):
    """Every position's vector brought to mean 0 and variance 1, then scaled and shifted as learned.

    `LayerNorm(embed_dim, eps=1e-5)` has the parameters `weight` (embed_dim), ones at first, and
    `bias` (embed_dim), zeros at first. `forward(x)` takes each vector along the last dimension by
    itself: minus its mean, over the root of its variance plus eps, times weight, plus bias. The
    variance is the mean squared difference from the mean, divided by embed_dim, not embed_dim - 1.

    Shapes: x (..., embed_dim); returns the same shape.
    Equals torch's layer of that name. Gradients reach `x` and both parameters and are finite, for a
    vector whose entries are all the same too. Inputs and earlier results are left unchanged;
    non-contiguous inputs and float64 work.
    Not: nn.LayerNorm, F.layer_norm, or another normalization layer or function of torch.
    Source: Ba et al. 2016, Layer Normalization, equations 3 and 4.
    """

    def __init__(self, embed_dim: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(embed_dim))
        self.bias = nn.Parameter(torch.zeros(embed_dim))

    def forward(self, x: Tensor) -> Tensor:
        centered = x - x.mean(dim=-1, keepdim=True)  # (..., E)
        variance = centered.square().mean(dim=-1, keepdim=True)  # (..., 1)
        return centered / torch.sqrt(variance + self.eps) * self.weight + self.bias  # (..., E)


class FeedForward(nn.Module):
    """The same small network for every position by itself: out to hidden_dim, and back.

    `FeedForward(embed_dim, hidden_dim, activation="relu")` has `linear1`, an
    `nn.Linear(embed_dim, hidden_dim)`, and `linear2`, an `nn.Linear(hidden_dim, embed_dim)`. The
    activation stands between them: "relu", or "gelu", F.gelu as it comes (not its approximation).

    Shapes: `forward(x)` takes (..., embed_dim) and returns the same shape.
    Raises ValueError, when constructed, for any other activation; the message names it.
    Gradients reach `x` and all parameters. Inputs and earlier results are left unchanged;
    non-contiguous inputs and float64 work.
    Source: Vaswani et al. 2017, equation 2; Hendrycks and Gimpel 2016, section 2, for gelu.
    """

    def __init__(self, embed_dim: int, hidden_dim: int, activation: str = "relu") -> None:
        super().__init__()
        if activation not in ("relu", "gelu"):
            raise ValueError(f"FeedForward: activation is {activation!r}, wanted 'relu' or 'gelu'")
        self.activation = F.relu if activation == "relu" else F.gelu
        self.linear1 = nn.Linear(embed_dim, hidden_dim)
        self.linear2 = nn.Linear(hidden_dim, embed_dim)

    def forward(self, x: Tensor) -> Tensor:
        hidden = self.activation(self.linear1(x))  # (..., hidden_dim)
        return self.linear2(hidden)  # (..., E)


class EncoderBlock(nn.Module):
    """One layer of a Transformer's encoder: attention, then feed-forward, each added to its input.

    `EncoderBlock(embed_dim, num_heads, hidden_dim, dropout=0.0, norm_first=False,
    activation="relu")` has `self_attn` (with chapter 7's `W_q`, `W_k`, `W_v`, `W_o`),
    `feed_forward` (with `linear1`, `linear2`), `norm1` and `norm2` (with `weight`, `bias`; eps is
    1e-5). norm1 belongs to the attention, norm2 to the feed-forward.
    Post-norm (norm_first=False): x = norm1(x + attention(x)), then norm2(x + feed_forward(x)).
    Pre-norm (norm_first=True): x = x + attention(norm1(x)), then x + feed_forward(norm2(x)).
    In training, dropout with probability `dropout` is applied to what attention and feed-forward
    return, before it is added to x, and nowhere else: not inside the two, and not on the
    weights, which are returned as they were used. In evaluation mode there is none.

    `forward(x, mask=None)` returns `(output, weights)`.
    Shapes: x (B, L, E); output (B, L, E), weights (B, H, L, L).
    `mask` is boolean, True where a position may attend, and broadcasts to (B, H, L, L). Under the
    mask, a position that may attend to nothing has weights of zeros.
    Raises ValueError, when constructed, if embed_dim is not divisible by num_heads, or for an
    activation other than "relu" and "gelu".
    Equals torch's nn.TransformerEncoderLayer when given its weights. Gradients reach `x` and all
    parameters and are finite, for rows that are masked fully too. Inputs and earlier results are
    left unchanged; non-contiguous inputs and float64 work.
    Not: nn.TransformerEncoderLayer, nn.MultiheadAttention.
    Source: Vaswani et al. 2017, sections 3.1 and 5.4; Xiong et al. 2020, table 1, for pre-norm.
    """

    def __init__(
        self,
        embed_dim: int,
        num_heads: int,
        hidden_dim: int,
        dropout: float = 0.0,
        norm_first: bool = False,
        activation: str = "relu",
    ) -> None:
        super().__init__()
        self.norm_first = norm_first
        self.self_attn = MultiHeadAttention(embed_dim, num_heads)
        self.feed_forward = FeedForward(embed_dim, hidden_dim, activation)
        self.norm1 = LayerNorm(embed_dim)
        self.norm2 = LayerNorm(embed_dim)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        seen = self.norm1(x) if self.norm_first else x  # (B, L, E), what attention gets
        attended, weights = self.self_attn(seen, seen, seen, mask)  # (B, L, E), (B, H, L, L)
        x = x + self.dropout(attended)
        if not self.norm_first:
            x = self.norm1(x)
        seen = self.norm2(x) if self.norm_first else x  # (B, L, E), what feed-forward gets
        x = x + self.dropout(self.feed_forward(seen))
        if not self.norm_first:
            x = self.norm2(x)
        return x, weights


class Encoder(nn.Module):
    """A stack of encoder blocks: each takes what the one before it returned.

    `Encoder(num_layers, embed_dim, num_heads, hidden_dim, dropout=0.0, norm_first=False,
    activation="relu")` has `layers`, an `nn.ModuleList` of `num_layers` `EncoderBlock`s made with
    the other arguments, each made anew, with weights of its own. There is no norm after the last.

    `forward(x, mask=None)` returns `(output, weights)`: every layer gets the same mask, and weights
    is a list of each layer's, from the first to the last.
    Shapes: x (B, L, E); output (B, L, E), each of the weights (B, H, L, L). `mask` is boolean, True
    where a position may attend, and broadcasts to (B, H, L, L). No layers at all return x and an
    empty list.
    Raises what `EncoderBlock` raises.
    Gradients reach `x` and all parameters and are finite, for rows that are masked fully too.
    Inputs and earlier results are left unchanged; non-contiguous inputs and float64 work.
    Not: nn.TransformerEncoder, nn.TransformerEncoderLayer, nn.MultiheadAttention.
    Source: Vaswani et al. 2017, section 3.1.
    """

    def __init__(
        self,
        num_layers: int,
        embed_dim: int,
        num_heads: int,
        hidden_dim: int,
        dropout: float = 0.0,
        norm_first: bool = False,
        activation: str = "relu",
    ) -> None:
        super().__init__()
        self.layers = nn.ModuleList(
            EncoderBlock(embed_dim, num_heads, hidden_dim, dropout, norm_first, activation)
            for _ in range(num_layers)
        )

    def forward(self, x: Tensor, mask: Tensor | None = None) -> tuple[Tensor, list[Tensor]]:
        all_weights = []
        for layer in self.layers:
            x, weights = layer(x, mask)  # (B, L, E), (B, H, L, L)
            all_weights.append(weights)
        return x, all_weights
