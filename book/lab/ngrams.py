"""A counting baseline for a model that writes: the next character by what followed before."""

import torch
from torch import Tensor


def ngram_bits(train: Tensor, held_out: Tensor, longest: int, vocabulary: int) -> Tensor:
    """How surprised counting is by a text, in bits, for contexts of 0 to `longest` characters.

    Counts how often each character followed each context in `train`. A context that was seen c
    times, with d different characters after it, speaks with the weight c / (c + d); the rest of the
    probability is that of the context shorter by one, and below the empty one all are equally
    likely. Nothing is fitted to `held_out`.

    Shapes: train (N) and held_out (M), whole numbers below `vocabulary`; returns
    (longest + 1, M - longest): the surprise at the characters from the place `longest` on.
    Raises ValueError where a context and its next character do not fit into 63 bits.
    Source: Witten and Bell 1991, The zero-frequency problem, method C.
    """
    if vocabulary ** (longest + 1) >= 2**63:
        raise ValueError(
            f"ngram_bits: {vocabulary} tokens with {longest} before them are too many to number"
        )
    likely = torch.full((len(held_out) - longest,), 1 / vocabulary, dtype=torch.double)
    surprise = []
    for order in range(longest + 1):
        seen, times = _numbered(train, order, vocabulary).unique(return_counts=True)
        asked = _numbered(held_out, order, vocabulary)[longest - order :]  # (M - longest)
        contexts, inverse = (seen // vocabulary).unique(return_inverse=True)
        totals = torch.zeros(len(contexts), dtype=torch.long).index_add(0, inverse, times)
        kinds = torch.bincount(inverse, minlength=len(contexts))
        both = _looked_up(seen, times, asked)
        total = _looked_up(contexts, totals, asked // vocabulary)
        kind = _looked_up(contexts, kinds, asked // vocabulary)
        longer = (both + kind * likely) / (total + kind).clamp(min=1)
        likely = torch.where(total > 0, longer, likely)
        surprise.append(-likely.log2())
    return torch.stack(surprise)


def _numbered(tokens: Tensor, order: int, vocabulary: int) -> Tensor:
    """Each run of `order + 1` tokens as one number: (len(tokens) - order)."""
    places = vocabulary ** torch.arange(order, -1, -1)
    return tokens.unfold(0, order + 1, 1) @ places


def _looked_up(keys: Tensor, values: Tensor, asked: Tensor) -> Tensor:
    """The value of each asked key, 0 where it is not among the sorted keys."""
    places = torch.searchsorted(keys, asked).clamp(max=len(keys) - 1)
    return torch.where(keys[places] == asked, values[places], 0)
