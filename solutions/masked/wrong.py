"""Wrong answers to chapter 8, as people write them: its check must fail each.

Most are written from the docstrings alone, not from the list of mistakes.
"""

import math

import torch
from torch.nn import functional as F

from autograder.checking.samples import wrong
from solutions.softmax import softmax


@wrong("causal_mask", about="a position does not see itself")
def _(length, past_length=0):
    i = torch.arange(length)[:, None] + past_length
    j = torch.arange(past_length + length)[None, :]
    return j < i


@wrong("causal_mask", about="True where it is forbidden")
def _(length, past_length=0):
    return torch.triu(
        torch.ones(length, past_length + length, dtype=torch.bool), diagonal=past_length + 1
    )


@wrong("causal_mask", about="the past is added, but the diagonal is not moved")
def _(length, past_length=0):
    return torch.ones(length, past_length + length).tril().bool()


@wrong("causal_mask", about="floats in place of booleans")
def _(length, past_length=0):
    return torch.tril(torch.ones(length, length + past_length), diagonal=past_length)


@wrong("causal_mask", about="square: the past gets rows too")
def _(length, past_length=0):
    total = length + past_length
    return torch.tril(torch.ones(total, total, dtype=torch.bool))


@wrong("causal_mask", about="the past cannot be seen")
def _(length, past_length=0):
    mask = torch.zeros(length, past_length + length, dtype=torch.bool)
    for q in range(length):
        for k in range(q + 1):
            mask[q, past_length + k] = True
    return mask


@wrong("causal_mask", about=("True where it is forbidden", "the diagonal is not moved"))
def _(length, past_length=0):
    rows = torch.arange(length).unsqueeze(1)
    cols = torch.arange(length + past_length).unsqueeze(0)
    return cols > rows


@wrong("padding_mask", about="True for the padding")
def _(lengths, max_length):
    return torch.arange(max_length).unsqueeze(0) >= lengths.unsqueeze(1)


@wrong("padding_mask", about="one position too many")
def _(lengths, max_length):
    return torch.stack([torch.arange(max_length) <= n for n in lengths])


@wrong("padding_mask", about="positions count from 1 and the last is lost")
def _(lengths, max_length):
    positions = torch.arange(1, max_length + 1)
    return positions[None] < lengths[:, None]


@wrong("padding_mask", about="as wide as the largest length")
def _(lengths, max_length):
    return torch.arange(int(lengths.max()))[None, :] < lengths[:, None]


@wrong("padding_mask", about="ones and zeros in place of booleans")
def _(lengths, max_length):
    mask = torch.zeros(len(lengths), max_length)
    for b, n in enumerate(lengths.tolist()):
        mask[b, :n] = 1
    return mask


@wrong("padding_mask", about=("True for the padding", "one position too many"))
def _(lengths, max_length):
    mask = torch.ones(lengths.shape[0], max_length, dtype=torch.bool)
    for row in range(lengths.shape[0]):
        mask[row, : int(lengths[row]) + 1] = False
    return mask


@wrong("masked_softmax", about="masks after the softmax")
def _(scores, mask=None, dim=-1):
    weights = torch.softmax(scores, dim=dim)
    return weights if mask is None else torch.where(mask, weights, 0.0)


@wrong("masked_softmax", about="masked scores become zero before the softmax")
def _(scores, mask=None, dim=-1):
    if mask is not None:
        scores = scores.masked_fill(~mask, 0.0)
    return scores.softmax(dim)


@wrong("masked_softmax", about="a slice in which nothing is allowed gives NaN")
def _(scores, mask=None, dim=-1):
    if mask is not None:
        scores = scores.masked_fill(mask.logical_not(), -math.inf)
    return F.softmax(scores, dim=dim)


@wrong("masked_softmax", about="-1e9: a slice in which nothing is allowed is not zeros")
def _(scores, mask=None, dim=-1):
    if mask is not None:
        scores = torch.where(mask, scores, torch.full_like(scores, -1e9))
    e = torch.exp(scores - scores.max(dim=dim, keepdim=True)[0])
    return e / e.sum(dim=dim, keepdim=True)


@wrong("masked_softmax", about="the dim is ignored")
def _(scores, mask=None, dim=-1):
    if mask is None:
        return torch.softmax(scores, -1)
    mask = mask.expand(scores.shape)
    weights = torch.softmax(scores.masked_fill(~mask, -1e30), -1)
    return weights.masked_fill(~mask, 0.0)


@wrong("masked_softmax", about="adds a penalty, so a masked inf or NaN stays in")
def _(scores, mask=None, dim=-1):
    if mask is None:
        return torch.softmax(scores, dim=dim)
    penalty = (~mask).to(scores.dtype) * -1e30
    weights = torch.softmax(scores + penalty, dim=dim)
    return weights * mask


@wrong("masked_softmax", about="fills the masked scores in place")
def _(scores, mask=None, dim=-1):
    if mask is None:
        return torch.softmax(scores, dim=dim)
    scores.data.masked_fill_(~mask, -1e30)
    return torch.softmax(scores, dim=dim).masked_fill(~mask, 0.0)


@wrong("masked_softmax", about=("allowed where the mask is False", "NaN if nothing is allowed"))
def _(scores, mask=None, dim=-1):
    if mask is not None:
        scores = scores.masked_fill(mask, float("-inf"))
    return torch.softmax(scores, dim=dim)


@wrong("masked_softmax", about=("the dim is ignored", "masks after the softmax"))
def _(scores, mask=None, dim=-1):
    p = F.softmax(scores, dim=-1)
    if mask is not None:
        p = p * mask
    return p


@wrong("next_token_loss", about="nothing is shifted")
def _(logits, tokens, pad_id=None):
    if pad_id is None:
        pad_id = -100
    flat, targets = logits.reshape(-1, logits.shape[-1]), tokens.reshape(-1)
    if (targets == pad_id).all():
        return (logits * 0).sum()
    return F.cross_entropy(flat, targets, ignore_index=pad_id)


@wrong("next_token_loss", about="the logits are shifted in place of the targets")
def _(logits, tokens, pad_id=None):
    predicted = logits[:, 1:].flatten(0, 1)
    targets = tokens[:, :-1].flatten()
    losses = F.cross_entropy(predicted, targets, reduction="none")
    keep = torch.ones_like(losses) if pad_id is None else (targets != pad_id).to(losses)
    return (losses * keep).sum() / keep.sum().clamp(min=1)


@wrong("next_token_loss", about="padding counts as a token")
def _(logits, tokens, pad_id=None):
    logp = torch.log_softmax(logits[:, :-1], dim=-1)
    picked = logp.gather(-1, tokens[:, 1:].unsqueeze(-1))
    if picked.numel() == 0:
        return logits.sum() * 0
    return -picked.mean()


@wrong("next_token_loss", about="without any target it is NaN")
def _(logits, tokens, pad_id=None):
    B, L, V = logits.shape
    return F.cross_entropy(
        logits[:, :-1, :].reshape(-1, V),
        tokens[:, 1:].reshape(-1),
        ignore_index=-100 if pad_id is None else pad_id,
    )


@wrong("next_token_loss", about="the sum in place of the mean")
def _(logits, tokens, pad_id=None):
    targets = tokens[:, 1:].clone()
    if pad_id is not None:
        targets[targets == pad_id] = -100
    return F.cross_entropy(logits[:, :-1].transpose(1, 2), targets, reduction="sum")


@wrong("next_token_loss", about="the mean of the rows' means")
def _(logits, tokens, pad_id=None):
    if tokens.shape[1] < 2:
        return 0 * logits.sum()
    losses = []
    for row, target in zip(logits[:, :-1], tokens[:, 1:], strict=True):
        if pad_id is not None:
            row, target = row[target != pad_id], target[target != pad_id]
        if len(target):
            losses.append(F.cross_entropy(row, target))
    return torch.stack(losses).mean() if losses else 0 * logits.sum()


@wrong("next_token_loss", about="the log of a softmax, -inf for large logits")
def _(logits, tokens, pad_id=None):
    p = torch.softmax(logits[:, :-1], -1).gather(-1, tokens[:, 1:, None]).squeeze(-1)
    nll = -torch.log(p)
    if pad_id is not None:
        nll = nll[tokens[:, 1:] != pad_id]
    return nll.mean() if nll.numel() else logits.sum() * 0


@wrong("next_token_loss", about=("nothing is shifted", "padding counts as a token"))
def _(logits, tokens, pad_id=None):
    return F.cross_entropy(logits.permute(0, 2, 1), tokens)


@wrong("next_token_loss", about=("the sum in place of the mean", "padding counts as a token"))
def _(logits, tokens, pad_id=None):
    lp = logits.log_softmax(dim=-1)
    total = logits.sum() * 0
    for t in range(tokens.shape[1] - 1):
        for b in range(tokens.shape[0]):
            total = total - lp[b, t, tokens[b, t + 1]]
    return total


def chosen_of(tokens, probability, special_ids, generator):
    """Where a token is chosen."""
    draw = torch.rand(tokens.shape, generator=generator)
    chosen = draw < probability
    for special in special_ids:
        chosen &= tokens != special
    return chosen


@wrong("mask_tokens", about="all that are chosen become mask_id")
def _(tokens, mask_id, vocab_size, probability=0.15, special_ids=(), generator=None):
    chosen = chosen_of(tokens, probability, special_ids, generator)
    labels = torch.where(chosen, tokens, -100)
    inputs = torch.where(chosen, mask_id, tokens)
    return inputs, labels


@wrong("mask_tokens", about="special tokens are chosen as well")
def _(tokens, mask_id, vocab_size, probability=0.15, special_ids=(), generator=None):
    chosen = torch.rand(tokens.shape, generator=generator) < probability
    fate = torch.rand(tokens.shape, generator=generator)
    noise = torch.randint(0, vocab_size, tokens.shape, generator=generator)
    inputs = tokens.clone()
    inputs[chosen & (fate < 0.8)] = mask_id
    random = chosen & (fate >= 0.8) & (fate < 0.9)
    inputs[random] = noise[random].to(tokens.dtype)
    labels = tokens.clone()
    labels[~chosen] = -100
    return inputs, labels


@wrong("mask_tokens", about="kept tokens get the label -100")
def _(tokens, mask_id, vocab_size, probability=0.15, special_ids=(), generator=None):
    chosen = chosen_of(tokens, probability, special_ids, generator)
    fate = torch.rand(tokens.shape, generator=generator)
    noise = torch.randint(vocab_size, tokens.shape, generator=generator, dtype=tokens.dtype)
    hide = chosen & (fate < 0.8)
    swap = chosen & (fate >= 0.8) & (fate < 0.9)
    inputs = torch.where(hide, mask_id, torch.where(swap, noise, tokens))
    labels = torch.where(hide | swap, tokens, -100)
    return inputs, labels


@wrong("mask_tokens", about="the labels are the inputs after masking")
def _(tokens, mask_id, vocab_size, probability=0.15, special_ids=(), generator=None):
    inputs = tokens.clone()
    chosen = chosen_of(tokens, probability, special_ids, generator)
    p = torch.rand(tokens.shape, generator=generator)
    inputs[chosen & (p < 0.8)] = mask_id
    swap = chosen & (p > 0.9)
    inputs[swap] = torch.randint(vocab_size, tokens.shape, generator=generator)[swap].to(inputs)
    labels = inputs.clone()
    labels[~chosen] = -100
    return inputs, labels


@wrong("mask_tokens", about="the generator is not used for everything")
def _(tokens, mask_id, vocab_size, probability=0.15, special_ids=(), generator=None):
    chosen = chosen_of(tokens, probability, special_ids, generator)
    fate = torch.rand(tokens.shape)
    noise = torch.randint(vocab_size, tokens.shape, dtype=tokens.dtype)
    inputs = torch.where(chosen & (fate < 0.8), mask_id, tokens)
    inputs = torch.where(chosen & (fate >= 0.9), noise, inputs)
    return inputs, torch.where(chosen, tokens, -100)


@wrong("mask_tokens", about="writes into the tokens it was given")
def _(tokens, mask_id, vocab_size, probability=0.15, special_ids=(), generator=None):
    chosen = chosen_of(tokens, probability, special_ids, generator)
    labels = tokens.clone().masked_fill(~chosen, -100)
    fate = torch.rand(tokens.shape, generator=generator)
    noise = torch.randint(vocab_size, tokens.shape, generator=generator, dtype=tokens.dtype)
    tokens[chosen & (fate < 0.8)] = mask_id
    swap = chosen & (fate >= 0.8) & (fate < 0.9)
    tokens[swap] = noise[swap]
    return tokens, labels


@wrong("mask_tokens", about="always exactly the same share is chosen")
def _(tokens, mask_id, vocab_size, probability=0.15, special_ids=(), generator=None):
    flat = tokens.reshape(-1)
    free = torch.ones_like(flat, dtype=torch.bool)
    for special in special_ids:
        free &= flat != special
    places = free.nonzero().squeeze(1)
    order = torch.randperm(len(places), generator=generator)
    places = places[order[: round(probability * len(places))]]
    inputs, labels = flat.clone(), torch.full_like(flat, -100)
    labels[places] = flat[places]
    for place in places.tolist():
        fate = torch.rand(1, generator=generator).item()
        if fate < 0.8:
            inputs[place] = mask_id
        elif fate < 0.9:
            inputs[place] = torch.randint(vocab_size, (1,), generator=generator).item()
    return inputs.reshape(tokens.shape), labels.reshape(tokens.shape)


@wrong("mask_tokens", about=("all that are chosen become mask_id", "special tokens are chosen"))
def _(tokens, mask_id, vocab_size, probability=0.15, special_ids=(), generator=None):
    chosen = torch.bernoulli(
        torch.full(tokens.shape, float(probability)), generator=generator
    ).bool()
    return tokens.masked_fill(chosen, mask_id), tokens.masked_fill(~chosen, -100)


@wrong("next_token_loss", about="a pad_id of 0 is taken for none")
def _(logits, tokens, pad_id=None):
    targets = tokens[:, 1:]
    lp = torch.log_softmax(logits[:, :-1], dim=-1)
    nll = -lp.gather(-1, targets.unsqueeze(-1)).squeeze(-1)
    if pad_id:
        nll = nll[targets != pad_id]
    return nll.mean() if nll.numel() > 0 else logits.sum() * 0


@wrong("masked_softmax", about="no mask at all is not thought of")
def _(scores, mask=None, dim=-1):
    filled = scores.masked_fill(torch.logical_not(mask), -1e30)
    return torch.softmax(filled, dim=dim).masked_fill(torch.logical_not(mask), 0.0)


@wrong("mask_tokens", about="the last token of the vocabulary never comes at random")
def _(tokens, mask_id, vocab_size, probability=0.15, special_ids=(), generator=None):
    chosen = chosen_of(tokens, probability, special_ids, generator)
    fate = torch.rand(tokens.shape, generator=generator)
    noise = torch.randint(0, vocab_size - 1, tokens.shape, generator=generator)
    inputs = torch.where(chosen & (fate < 0.8), mask_id, tokens)
    inputs = torch.where(chosen & (fate >= 0.9), noise.to(tokens.dtype), inputs)
    return inputs, tokens.masked_fill(~chosen, -100)


@wrong("mask_tokens", about="the labels are int64, whatever the tokens are")
def _(tokens, mask_id, vocab_size, probability=0.15, special_ids=(), generator=None):
    chosen = chosen_of(tokens, probability, special_ids, generator)
    labels = torch.full(tokens.shape, -100)
    labels[chosen] = tokens[chosen].long()
    inputs = tokens.clone()
    fate = torch.rand(tokens.shape, generator=generator)
    inputs[chosen & (fate < 0.8)] = mask_id
    swap = chosen & (fate >= 0.8) & (fate < 0.9)
    count = int(swap.sum())
    inputs[swap] = torch.randint(vocab_size, (count,), generator=generator).to(tokens.dtype)
    return inputs, labels


@wrong("causal_mask", about="zeros for the past")
def _(length, past_length=0):
    mask = torch.tril(torch.ones(length, length, dtype=torch.bool))
    past = torch.zeros(length, past_length, dtype=torch.bool)
    return torch.cat([past, mask], dim=1)


@wrong("causal_mask", about=("True above the diagonal", "the past is not counted"))
def _(length, past_length=0):
    return torch.ones(length, length + past_length, dtype=torch.bool).triu(1)


@wrong("padding_mask", about="one position too many is real")
def _(lengths, max_length):
    return torch.arange(max_length, device=lengths.device).unsqueeze(0) <= lengths.unsqueeze(1)


@wrong("masked_softmax", about="the mask multiplies the weights, and nothing is scaled again")
def _(scores, mask=None, dim=-1):
    if mask is not None:
        safe = torch.where(mask, scores, torch.zeros_like(scores))
        return torch.softmax(safe, dim) * mask
    return softmax(scores, dim)


@wrong("next_token_loss", about="the targets are not moved")
def _(logits, tokens, pad_id=None):
    flat = logits.reshape(-1, logits.shape[-1])
    target = tokens.reshape(-1)
    ignore = -100 if pad_id is None else pad_id
    if (target == ignore).all() or target.numel() == 0:
        return logits.sum() * 0
    return F.cross_entropy(flat, target, ignore_index=ignore)


@wrong("mask_tokens", about="90 % become mask_id, none a random token")
def _(tokens, mask_id, vocab_size, probability=0.15, special_ids=(), generator=None):
    chosen = torch.rand(tokens.shape, generator=generator) < probability
    for special in special_ids:
        chosen &= tokens != special
    labels = torch.where(chosen, tokens, torch.full_like(tokens, -100))
    hide = chosen & (torch.rand(tokens.shape, generator=generator) < 0.9)
    inputs = torch.where(hide, torch.full_like(tokens, mask_id), tokens)
    return inputs, labels


# Known mistakes made in alternatives: exercise -> (style, changes, the mistake's key).
RESTYLED = {
    "causal_mask": [
        ("compare positions", {">=": "<="}, "upside-down"),
        ("compare positions", {">=": ">"}, "diagonal-masked"),
        ("loops", {"range(past_length + i + 1)": "range(i + 1)"}, "past-ignored"),
        ("loops", {"dtype=torch.bool": ""}, "not-boolean"),
        (
            "a past that is all open, and a triangle",
            {"torch.ones((length, past_length))": "torch.zeros((length, past_length))"},
            "past-masked",
        ),
        (
            "a past that is all open, and a triangle",
            {
                "[past, torch.tril(torch.ones((length, length)))]": ""
                "[torch.tril(torch.ones((length, length))), past]"
            },
            "past-last",
        ),
    ],
    "padding_mask": [
        ("row by row", {"position <": "position <="}, "one-too-many"),
        (
            "row by row",
            {"range(max_length)": "range(int(lengths.max()))"},
            "longest-width",
        ),
        (
            "row by row",
            {"torch.tensor(rows)": "torch.tensor(rows).float()"},
            "not-boolean",
        ),
        ("count with cumsum", {"counted.le(": "counted.gt("}, "true-forbids"),
        (
            "count with cumsum",
            {"lengths.reshape(-1, 1))": "lengths.reshape(-1, 1)).unsqueeze(1).unsqueeze(1)"},
            "with-heads",
        ),
    ],
    "masked_softmax": [
        (
            "exponentials times the mask",
            {
                "scores.amax(dim,": "scores.amax(-1,",
                "exponentials.sum(dim,": "exponentials.sum(-1,",
            },
            "dim-unused",
        ),
        (
            "fill empty slices first",
            {
                "scores.masked_fill(empty, 0.0).softmax(dim).masked_fill(empty, 0.0)": ""
                "scores.softmax(dim)"
            },
            "empty-row-nan",
        ),
        (
            "softmax, then zero what is masked",
            {"weights.masked_fill(~mask, 0)": "weights"},
            "large-negative",
        ),
        (
            "softmax, then zero what is masked",
            {"if mask is None": "if True"},
            "mask-unused",
        ),
        (
            "fill empty slices first",
            {
                "torch.where(mask, scores, -math.inf)": "mask * scores",
                "scores.masked_fill(empty, 0.0).softmax(dim).masked_fill(empty, 0.0)": ""
                "scores.softmax(dim)",
            },
            "masked-score-multiplied",
        ),
    ],
    "next_token_loss": [
        (
            "ignore_index and a sum",
            {"return total / max(int(count), 1)": "return total"},
            "summed",
        ),
        (
            "gather log-probabilities",
            {"logits[:, :-1].log_softmax(dim=-1)": "logits[:, :-1].softmax(dim=-1).log()"},
            "log-of-softmax",
        ),
        (
            "gather log-probabilities",
            {
                "/ (targets != pad_id).sum().clamp(min=1)": "/ (targets != pad_id).sum()",
                "max(targets.numel(), 1)": "targets.numel()",
            },
            "nothing-nan",
        ),
        (
            "loops",
            {"text[position + 1]": "text[position]", "range(len(text) - 1)": "range(len(text))"},
            "not-shifted",
        ),
        ("loops", {"if pad_id is None or": "if not pad_id or"}, "pad-zero-is-none"),
        ("loops", {"target != pad_id": "text[position] != pad_id"}, "input-padding"),
    ],
    "mask_tokens": [
        ("three rounds of coins", {"labels[~chosen] = -100": ""}, "all-labeled"),
        (
            "three rounds of coins",
            {"torch.full(labels.shape, 0.8)": "torch.full(labels.shape, 1.0)"},
            "all-masked",
        ),
        (
            "three rounds of coins",
            {"chances.masked_fill(special, 0.0)": "chances"},
            "special-chosen",
        ),
        (
            "three rounds of coins",
            {
                "labels, inputs = tokens.clone(), tokens.clone()": "labels, inputs = "
                "tokens.clone(), tokens"
            },
            "changes-input",
        ),
        (
            "one number decides all",
            {
                "torch.where(number < probability, tokens, -100)": "torch.where(number < "
                "probability, -100, tokens)"
            },
            "labels-inverted",
        ),
        (
            "one number decides all",
            {"randint(0, vocab_size,": "randint(1, vocab_size,"},
            "token-zero-never",
        ),
    ],
}
