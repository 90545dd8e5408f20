"""Chapter 8, masked attention: not looking ahead."""

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
    the device of `lengths`. Input and earlier results are left unchanged.
    """
    positions = torch.arange(max_length, device=lengths.device)  # (max_length)
    return positions < lengths.unsqueeze(-1)  # (B, max_length)


def masked_softmax(scores: Tensor, mask: Tensor | None = None, dim: int = -1) -> Tensor:
    """Softmax over the scores that the mask allows; all others get a weight of exactly zero.

    `mask` is boolean, True where attending is allowed; None allows all. It is applied before the
    softmax, so that the weights which remain sum to one.

    Shapes: scores of any shape, mask broadcasts to it; returns the shape of scores. Slices along
    `dim` sum to one; a slice in which nothing is allowed gives zeros.
    A score that is masked may be anything, even inf or NaN: it changes nothing. Gradients reach
    `scores` and are finite, and zero where masked. Inputs and earlier results are left unchanged;
    non-contiguous inputs and float64 work. `torch.softmax` is allowed; not: torch's
    scaled_dot_product_attention.
    Source: Vaswani et al. 2017, section 3.2.3.
    """
    if mask is not None:
        scores = scores.masked_fill(~mask, -math.inf)
    return softmax(scores, dim=dim)  # chapter 2's: zeros where all are -inf


def next_token_loss(logits: Tensor, tokens: Tensor, pad_id: int | None = None) -> Tensor:
    """How surprised a causal model is by the next token: the mean cross-entropy, in nats.

    The logits at position t are about the token at t + 1: the first token is not predicted, and
    the last logits predict nothing. With a `pad_id`, a target that is padding is left out, and
    the mean is over the real targets of the whole batch.

    Shapes: logits (B, L, V), tokens (B, L); returns a scalar. With no target at all it is 0, and
    its gradient is zeros. Logits may be as large as 1e4.
    Gradients reach `logits` and are finite. Inputs and earlier results are left unchanged;
    non-contiguous inputs and float64 work. `F.cross_entropy` is allowed.
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
    others. Of the chosen, independently again, 80% become `mask_id`, 10% a random token, uniform
    over 0 to vocab_size - 1, and 10% stay as they are.

    Shapes: tokens of any shape, whole numbers; returns (inputs, labels), both of the shape and
    dtype of tokens. `labels` has the token where one was chosen, whatever became of it, and -100
    elsewhere. `tokens` is left unchanged; non-contiguous tokens work.
    All randomness comes from `generator` if there is one, so that the same seed gives the same
    result, and otherwise from torch's global generator.
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
