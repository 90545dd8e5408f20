"""Chapter 4, the attention layer: one layer, any inputs."""

import math

from torch import Tensor, nn

from solutions.softmax import scaled_dot_product_scores, softmax


def attend(query: Tensor, inputs: Tensor) -> tuple[Tensor, Tensor]:
    """One query looks at all inputs: the average of the inputs, weighted by how well each matches.

    The score of an input is its dot product with the query over sqrt(D); softmax turns
    the scores into weights; the output is the sum of the inputs, each times its weight.

    Shapes: query (D), inputs (S, D); returns output (D) and weights (S), which sum to one.
    Scores may be as large as 1e4. Gradients reach `query` and `inputs` and are finite. Inputs and
    earlier results are left unchanged; non-contiguous inputs and float64 work. `torch.softmax` is
    allowed.
    Source: Vaswani et al. 2017, section 3.2.1, equation 1, for one query and K = V.
    """
    D = len(query)
    weights = softmax(inputs @ query / math.sqrt(D))  # (S)
    return weights @ inputs, weights  # (D), (S)


def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    """Every query looks at every key and takes a weighted average of the values.

    The score of query and key is their dot product over sqrt(D). Softmax over the keys makes
    weights of the scores, so that the weights of one query sum to one.

    Shapes: query (..., L, D), key (..., S, D), value (..., S, E), any leading dimensions, the same
    in all three; returns output (..., L, E) and weights (..., L, S).
    `mask` is boolean, True where a query may attend to a key, and broadcasts to (..., L, S); None
    allows all. A key that is masked has a weight of exactly zero, and the other weights sum to one.
    A query that may attend to nothing gets an output and weights of zeros, never NaN.
    Gradients reach `query`, `key` and `value` and are finite, even where everything is masked; what
    is masked gets a gradient of zero. Scores may be as large as 1e4. Inputs and earlier results are
    left unchanged; non-contiguous inputs and float64 work. `torch.softmax` is allowed.
    Not: torch's own scaled_dot_product_attention.
    Source: Vaswani et al. 2017, section 3.2.1, equation 1; section 3.2.3 for the mask.
    """
    scores = scaled_dot_product_scores(query, key)  # (..., L, S)
    if mask is not None:
        scores = scores.masked_fill(~mask, -math.inf)
    weights = softmax(scores)  # (..., L, S), zeros where all scores are -inf
    return weights @ value, weights  # (..., L, E), (..., L, S)


class AttentionLayer(nn.Module):
    """Attention with matrices to learn: keys and values are made from the same inputs.

    `AttentionLayer(query_dim, input_dim, value_dim)` has two linear layers of these names,
    both `nn.Linear` with bias=False: `W_k`, from input_dim to query_dim, makes the keys, and `W_v`,
    from input_dim to value_dim, makes the values. The queries are used as they come.

    `forward(queries, inputs)` returns `(output, weights)`: scaled dot-product attention with scores
    over sqrt(query_dim).
    Shapes: queries (..., L, query_dim), inputs (..., S, input_dim), any leading dimensions, the
    same in both; output (..., L, value_dim), weights (..., L, S), which sum to one over the inputs.
    Scores may be as large as 1e4. Gradients reach the queries, the inputs and both parameters and
    are finite. Inputs and earlier results are left unchanged; non-contiguous inputs and float64
    work. Anything else inside the class is up to you; torch's own scaled_dot_product_attention is
    allowed.
    Source: Vaswani et al. 2017, section 3.2.1, equation 1; Luong et al. 2015, section 3.1, the
    score called "general", for the matrix between queries and inputs.
    """

    def __init__(self, query_dim: int, input_dim: int, value_dim: int) -> None:
        super().__init__()
        self.W_k = nn.Linear(input_dim, query_dim, bias=False)
        self.W_v = nn.Linear(input_dim, value_dim, bias=False)

    def forward(self, queries: Tensor, inputs: Tensor) -> tuple[Tensor, Tensor]:
        key = self.W_k(inputs)  # (..., S, query_dim)
        value = self.W_v(inputs)  # (..., S, value_dim)
        return scaled_dot_product_attention(queries, key, value)


def grid_to_sequence(features: Tensor) -> Tensor:
    """A picture as a sequence: one vector for each place of a grid, row by row from the top left.

    The place in row h and column w becomes position h * W + w, and its vector holds the C channels
    of that place.

    Shapes: features (B, C, H, W); returns (B, H * W, C).
    Gradients reach `features`. Inputs and earlier results are left unchanged; non-contiguous inputs
    and float64 work.
    Source: Xu et al. 2015, Show, Attend and Tell, sections 3.1.1 and 4.3.
    """
    B, C, H, W = features.shape
    return features.reshape(B, C, H * W).transpose(1, 2)  # (B, H * W, C)
