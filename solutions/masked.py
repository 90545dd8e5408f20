"""Chapter 7, masked attention: not looking ahead."""

import math
from collections.abc import Sequence

import torch
from torch import Tensor
from torch.nn import functional as F

from solutions.softmax import softmax


def causal_mask(length: int, past_length: int = 0) -> Tensor:
    """Who may look at whom when nobody looks ahead: True where a query may attend to a key.

    There are `length` queries, and before them `past_length` positions that have keys only. Query i
    is at position past_length + i, and attends to that position and all before it.

    Shapes: returns (length, past_length + length), boolean.
    Source: Vaswani et al. 2017, section 3.2.3.
    """
    return torch.ones(length, past_length + length, dtype=torch.bool).tril(past_length)  # (L, S)


def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    """Which positions of a padded batch are real: True for the first lengths[b] of row b.

    Shapes: lengths (B), whole numbers from 0 to max_length; returns (B, max_length), boolean, on
    the device of `lengths`. The input is left unchanged.
    """
    positions = torch.arange(max_length, device=lengths.device)  # (max_length)
    return positions < lengths.unsqueeze(-1)  # (B, max_length)


def masked_softmax(scores: Tensor, mask: Tensor | None = None, dim: int = -1) -> Tensor:
    """Softmax over the scores that the mask allows; all others get a weight of exactly zero.

    `mask` is boolean, True where attending is allowed; None allows all. It is applied before the
    softmax, so that the weights which remain sum to one.

    Shapes: scores of any shape, mask broadcasts to it; returns the shape of scores. Slices along
    `dim` sum to one; a slice in which nothing is allowed gives zeros.
    A score that is masked may be anything, also inf or NaN: it changes nothing. Gradients reach
    `scores` and are finite, and zero where masked. Inputs are left unchanged; non-contiguous inputs
    and float64 work. `torch.softmax` is allowed; not: torch's scaled_dot_product_attention.
    Source: Vaswani et al. 2017, section 3.2.3.
    """
    if mask is not None:
        scores = scores.masked_fill(~mask, -math.inf)
    return softmax(scores, dim=dim)  # chapter 2's: zeros where all are -inf


def next_token_loss(logits: Tensor, tokens: Tensor, pad_id: int | None = None) -> Tensor:
    """How surprised a causal model is by the next token: the mean cross-entropy, in nats.

    The logits at position t are about the token at t + 1: the first token is not predicted, and
    the last logits predict nothing. With a `pad_id`, a target that is padding counts nothing, and
    the mean is over the real targets of the whole batch.

    Shapes: logits (B, L, V), tokens (B, L); returns a scalar. With no target at all it is 0, and
    its gradient is zeros. Logits may be as large as 1e4.
    Gradients reach `logits` and are finite. Inputs are left unchanged; non-contiguous inputs and
    float64 work. `F.cross_entropy` is allowed.
    Source: Radford et al. 2018, Improving Language Understanding by Generative Pre-Training,
    equation 1.
    """
    predicted, targets = logits[:, :-1], tokens[:, 1:]  # (B, L - 1, V), (B, L - 1)
    real = torch.ones_like(targets, dtype=torch.bool) if pad_id is None else targets != pad_id
    total = F.cross_entropy(predicted[real], targets[real], reduction="sum")  # of (N, V) and (N)
    return total / real.sum().clamp(min=1)


def mask_tokens(
    tokens: Tensor,
    mask_id: int,
    vocab_size: int,
    probability: float = 0.15,
    special_ids: Sequence[int] = (),
    generator: torch.Generator | None = None,
) -> tuple[Tensor, Tensor]:
    """BERT's exercise for a model: hide some tokens, and keep what they were as labels.

    Each token that is not one of `special_ids` is chosen with `probability`, independently of all
    others. Of the chosen, independently again, 80 % become `mask_id`, 10 % a random token, uniform
    over 0 to vocab_size - 1, and 10 % stay as they are.

    Shapes: tokens of any shape, whole numbers; returns (inputs, labels), both of the shape and
    dtype of tokens. `labels` has the token where one was chosen, whatever became of it, and -100
    elsewhere. `tokens` is left unchanged; non-contiguous tokens work.
    All randomness comes from `generator` if there is one, so that the same seed gives the same
    result, and from torch's global generator else.
    Source: Devlin et al. 2019, section 3.1, Task #1, and appendix A.1.
    """
    chances = torch.full(tokens.shape, probability, device=tokens.device)
    for special in special_ids:
        chances[tokens == special] = 0.0
    chosen = torch.bernoulli(chances, generator=generator).bool()
    fate = torch.randint(10, tokens.shape, generator=generator, device=tokens.device)
    random = torch.randint(
        vocab_size, tokens.shape, generator=generator, dtype=tokens.dtype, device=tokens.device
    )
    inputs = tokens.masked_fill(chosen & (fate < 8), mask_id)  # eight tenths of the chosen
    inputs = torch.where(chosen & (fate > 8), random, inputs)  # a tenth; the last tenth stays
    return inputs, tokens.masked_fill(~chosen, -100)


class KeyValueCache:
    """What a decoder remembers: the keys and values of all positions so far.

    Made with `KeyValueCache()`, empty. With it, generation computes the key and value of each new
    token once; attending from the new queries to all that is cached, under
    `causal_mask(length, past_length)`, gives what attending over the whole text gives.

    `append(key, value)` adds positions at the end and returns `(keys, values)`: all so far, the new
    ones included, in order. `len(cache)` is their number.
    Shapes: key and value (B, H, L, D), for L new positions, one or more; returns two of
    (B, H, S, D), where S is the new length.
    Gradients reach what was appended. What was appended or returned before is left unchanged, and
    two caches share nothing.
    """

    def __init__(self) -> None:
        self.length = 0
        self.stored: tuple[Tensor, Tensor] | None = None

    def append(self, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
        self.length += key.shape[-2]
        if self.stored is not None:
            keys, values = self.stored
            key = torch.cat([keys, key], dim=-2)  # (B, H, S, D)
            value = torch.cat([values, value], dim=-2)  # (B, H, S, D)
        self.stored = key, value
        return key, value

    def __len__(self) -> int:
        return self.length


def next_token_probabilities(
    logits: Tensor,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
) -> Tensor:
    """From a model's logits to the probabilities that the next token is drawn from.

    The logits are divided by the temperature; then comes a softmax. At temperature 0 everything is
    on the largest logit, shared equally by all that are as large; top_k and top_p then change
    nothing. `top_k` keeps the k largest and all that are as large as the k-th; one above V keeps
    all. `top_p` looks at what top_k left, scaled to sum to one, and keeps the smallest set, the
    largest first, whose sum reaches top_p: the one that reaches it stays. Which of several equal
    ones stays at that edge is free. All others get 0, and what remains sums to one.

    Shapes: logits (..., V), any leading dimensions; returns the same shape and dtype. A logit may
    be -inf if one of its row is finite; logits may be as large as 1e4, the temperature as small as
    1e-4.
    Raises ValueError for a temperature below 0, a top_k below 1 and a top_p that is not in (0, 1],
    each whatever the others are.
    No gradient is needed. Inputs are left unchanged; non-contiguous inputs and float64 work.
    Source: Holtzman et al. 2020, The Curious Case of Neural Text Degeneration, section 3.1.
    """
    if not temperature >= 0:
        raise ValueError(f"next_token_probabilities: temperature is {temperature}, wanted 0 or up")
    if top_k is not None and top_k < 1:
        raise ValueError(f"next_token_probabilities: top_k is {top_k}, wanted 1 or more")
    if top_p is not None and not 0 < top_p <= 1:
        raise ValueError(f"next_token_probabilities: top_p is {top_p}, wanted over 0, at most 1")
    largest = logits.amax(dim=-1, keepdim=True)  # (..., 1)
    if temperature == 0:
        ties = (logits == largest).to(logits)  # (..., V), of zeros and ones
        return ties / ties.sum(dim=-1, keepdim=True)
    scores = (logits - largest) / temperature  # (..., V), at most 0: no exponential overflows
    if top_k is not None:
        kth = logits.topk(min(top_k, logits.shape[-1]), dim=-1).values[..., -1:]  # (..., 1)
        scores = scores.masked_fill(logits < kth, -math.inf)
    probabilities = softmax(scores, dim=-1)  # (..., V)
    if top_p is not None and top_p < 1:
        ordered, order = probabilities.sort(dim=-1, descending=True)
        before = ordered.cumsum(dim=-1) - ordered  # (..., V): how much the larger ones have
        kept = torch.zeros_like(before, dtype=torch.bool).scatter(-1, order, before < top_p)
        probabilities = probabilities.masked_fill(~kept, 0.0)
        probabilities = probabilities / probabilities.sum(dim=-1, keepdim=True)
    return probabilities


def induction_score(weights: Tensor, tokens: Tensor) -> Tensor:
    """How much each head looks at what followed the last times that the same token stood there.

    For a query whose token stood earlier in its row, this is the sum of its weights on all
    positions right after those earlier ones (the query's own position may be one of them). The
    score of a head is the mean over all such queries of the batch; where there is none, it is 0 for
    all heads.

    Shapes: weights (B, H, L, L), queries by keys, causal or not; tokens (B, L), whole numbers;
    returns (H) in the dtype of weights. No gradient is needed. Inputs are left unchanged;
    non-contiguous inputs and float64 work.
    Source: Olsson et al. 2022, In-context Learning and Induction Heads, section "Induction heads"
    and appendix (prefix matching score).
    """
    same = tokens.unsqueeze(2) == tokens.unsqueeze(1)  # (B, L, L), queries by keys
    before = same.tril(-1)  # the same token, earlier
    after = F.pad(before[..., :-1], (1, 0))  # (B, L, L): one position further
    counted = before.any(dim=-1)  # (B, L)
    looked = (weights * after.unsqueeze(1)).sum(dim=-1)  # (B, H, L)
    total = (looked * counted.unsqueeze(1)).sum(dim=(0, 2))  # (H)
    return total / counted.sum().clamp(min=1)


def blockwise_attention(
    query: Tensor, key: Tensor, value: Tensor, block_size: int, causal: bool = False
) -> Tensor:
    """Scaled dot-product attention in memory that grows with L + S, not with L * S.

    The keys are taken `block_size` at a time, for `block_size` queries at a time. A running maximum
    and a running sum make the parts into one softmax: when a larger score turns up, what was summed
    so far is scaled down.

    Shapes: query (..., L, D), key (..., S, D), value (..., S, E), the same leading dimensions;
    returns the output alone, (..., L, E), equal to that of full attention to 1e-5. Any block size
    from 1 works, also one that divides neither L nor S, or is larger than both.
    With `causal`, L <= S and the mask is `causal_mask(L, S - L)`: the last query sees all keys.
    For a block size that is small beside L and S, no intermediate result has as many elements as
    all scores, (..., L, S), and no mask as many as L * S.
    Scores may be as large as 1e4: the result is finite. Gradients reach query, key and value and
    are finite. Inputs are left unchanged; non-contiguous inputs and float64 work.
    Not: torch's scaled_dot_product_attention.
    Source: Milakov and Gimelshein 2018, Online normalizer calculation for softmax, algorithm 3;
    Dao et al. 2022, FlashAttention, algorithm 1.
    """
    L, S, D = query.shape[-2], key.shape[-2], query.shape[-1]
    blocks = []
    for first_query in range(0, L, block_size):
        block = query[..., first_query : first_query + block_size, :] / math.sqrt(D)  # (..., l, D)
        output = total = 0.0  # of (..., l, E) and (..., l, 1): exp(score - largest), summed
        largest = torch.full_like(block[..., :1], -math.inf)  # (..., l, 1)
        positions = torch.arange(block.shape[-2], device=query.device) + first_query + S - L
        for first_key in range(0, S, block_size):
            keys = key[..., first_key : first_key + block_size, :]  # (..., s, D)
            values = value[..., first_key : first_key + block_size, :]  # (..., s, E)
            scores = block @ keys.transpose(-2, -1)  # (..., l, s)
            if causal:
                places = torch.arange(keys.shape[-2], device=query.device) + first_key
                scores = scores.masked_fill(places > positions.unsqueeze(-1), -math.inf)
            # The first key is allowed for every query, so the maximum is finite from here on.
            new_largest = torch.maximum(largest, scores.amax(dim=-1, keepdim=True)).detach()
            shrink = torch.exp(largest - new_largest)  # (..., l, 1)
            exponentials = torch.exp(scores - new_largest)  # (..., l, s)
            total = total * shrink + exponentials.sum(dim=-1, keepdim=True)
            output = output * shrink + exponentials @ values
            largest = new_largest
        blocks.append(output / total)
    return torch.cat(blocks, dim=-2)  # (..., L, E)
