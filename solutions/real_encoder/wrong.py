"""Wrong answers to chapter 13, as people write them: its check must fail each.

Most are written from the docstrings alone, not from the list of mistakes.
"""

import re

import torch
from torch.nn import functional as F

from autograder.checking.samples import wrong
from solutions.real_encoder import mean_pool

OUTSIDE = {
    "embeddings.word_embeddings.weight": "token_embedding.weight",
    "embeddings.position_embeddings.weight": "position_embedding.weight",
    "embeddings.token_type_embeddings.weight": "segment_embedding.weight",
    "embeddings.LayerNorm.weight": "embedding_norm.weight",
    "embeddings.LayerNorm.bias": "embedding_norm.bias",
    "embeddings.position_ids": "position_ids",
    "pooler.dense.weight": "pooler.weight",
    "pooler.dense.bias": "pooler.bias",
}

INSIDE = {
    "attention.self.query": "self_attn.W_q",
    "attention.self.key": "self_attn.W_k",
    "attention.self.value": "self_attn.W_v",
    "attention.output.dense": "self_attn.W_o",
    "attention.output.LayerNorm": "norm1",
    "intermediate.dense": "feed_forward.linear1",
    "output.dense": "feed_forward.linear2",
    "output.LayerNorm": "norm2",
}


@wrong("convert_weights", about="a shorter name is replaced inside of a longer one")
def _(state_dict):
    result = {}
    for name, tensor in state_dict.items():
        if name in OUTSIDE:
            result[OUTSIDE[name]] = tensor
            continue
        name = name.replace("encoder.layer.", "encoder.layers.")
        name = name.replace("output.dense", "feed_forward.linear2")
        name = name.replace("output.LayerNorm", "norm2")
        for old, new in INSIDE.items():
            name = name.replace(old, new)
        result[name] = tensor
    return result


@wrong("convert_weights", about="only layers with one digit")
def _(state_dict):
    result = {}
    for name, tensor in state_dict.items():
        if name in OUTSIDE:
            result[OUTSIDE[name]] = tensor
        elif match := re.match(r"encoder\.layer\.(\d)\.(.+)\.(weight|bias)$", name):
            n, part, kind = match.groups()
            result[f"encoder.layers.{n}.{INSIDE[part]}.{kind}"] = tensor
    return result


@wrong("convert_weights", about="the matrices are transposed")
def _(state_dict):
    out = {}
    for name, tensor in state_dict.items():
        if name in OUTSIDE:
            out[OUTSIDE[name]] = tensor
            continue
        _, _, n, rest = name.split(".", 3)
        part, kind = rest.rsplit(".", 1)
        is_matrix = tensor.dim() == 2
        out[f"encoder.layers.{n}.{INSIDE[part]}.{kind}"] = tensor.T if is_matrix else tensor
    return out


@wrong("convert_weights", about="the position_ids must be there")
def _(state_dict):
    out = {new: state_dict[old] for old, new in OUTSIDE.items()}
    for name in state_dict:
        if name.startswith("encoder.layer."):
            _, _, n, rest = name.split(".", 3)
            part, kind = rest.rsplit(".", 1)
            out["encoder.layers." + n + "." + INSIDE[part] + "." + kind] = state_dict[name]
    return out


@wrong("convert_weights", about="the given dictionary is emptied")
def _(state_dict):
    out = {}
    for name in list(state_dict):
        tensor = state_dict.pop(name)
        if name in OUTSIDE:
            out[OUTSIDE[name]] = tensor
        else:
            n, rest = name.removeprefix("encoder.layer.").split(".", 1)
            part, _, kind = rest.rpartition(".")
            out[f"encoder.layers.{n}.{INSIDE[part]}.{kind}"] = tensor
    return out


@wrong("convert_weights", about="the pooler is left out")
def _(state_dict):
    out = {}
    for name, tensor in state_dict.items():
        if name.startswith("pooler"):
            continue
        if name in OUTSIDE:
            out[OUTSIDE[name]] = tensor
        else:
            parts = name.split(".")
            out[
                ".".join(["encoder.layers", parts[2], INSIDE[".".join(parts[3:-1])], parts[-1]])
            ] = tensor
    return out


@wrong("convert_weights", about=("norm1 and norm2 are exchanged", "the pooler is left out"))
def _(state_dict):
    swap = {"norm1": "norm2", "norm2": "norm1"}
    out = {}
    for name, tensor in state_dict.items():
        if name in OUTSIDE:
            if "pooler" not in name:
                out[OUTSIDE[name]] = tensor
            continue
        _, _, n, rest = name.split(".", 3)
        part, kind = rest.rsplit(".", 1)
        new = INSIDE[part]
        out[f"encoder.layers.{n}.{swap.get(new, new)}.{kind}"] = tensor
    return out


@wrong("mean_pool", about="padding is in the mean")
def _(hidden, mask):
    return F.normalize(hidden.mean(dim=1), dim=-1)


@wrong(
    "mean_pool", about=("the mean divides by L, padding included", "is not scaled to unit length")
)
def _(hidden, mask):
    pooled = (hidden * mask.to(hidden.dtype).unsqueeze(-1)).mean(dim=1)
    return pooled


@wrong("mean_pool", about="the mean is not scaled to unit length")
def _(hidden, mask):
    m = mask.to(hidden.dtype)[:, :, None]
    return (hidden * m).sum(1) / m.sum(1).clamp(min=1)


@wrong("mean_pool", about="a row of padding alone gives NaN")
def _(hidden, mask):
    m = mask.to(hidden)
    mean = torch.einsum("ble,bl->be", hidden, m) / m.sum(1, keepdim=True)
    return mean / mean.norm(dim=-1, keepdim=True)


@wrong("mean_pool", about="takes the first token's vector")
def _(hidden, mask):
    first = hidden[:, 0]
    first = first * mask.any(dim=1, keepdim=True)
    return F.normalize(first, dim=-1)


@wrong("mean_pool", about="a mask of numbers is used as an index")
def _(hidden, mask):
    rows = []
    for vectors, real in zip(hidden, mask, strict=True):
        chosen = vectors[real]
        rows.append(F.normalize(chosen.sum(0), dim=0))
    return torch.stack(rows)


@wrong("mean_pool", about="every token is scaled to unit length before the mean")
def _(hidden, mask):
    unit = F.normalize(hidden, dim=-1)
    keep = mask.bool().unsqueeze(-1)
    mean = unit.masked_fill(~keep, 0).sum(1) / keep.sum(1).clamp(min=1)
    return F.normalize(mean, dim=-1)


@wrong(
    "mean_pool",
    about=("the mean is not scaled to unit length", "a row of padding alone gives NaN"),
)
def _(hidden, mask):
    keep = mask.unsqueeze(-1).to(hidden.dtype)
    return torch.sum(hidden * keep, dim=1) / torch.sum(keep, dim=1)


@wrong("mean_pool", about=("padding is in the mean", "the mean is not scaled to unit length"))
def _(hidden, mask):
    return hidden.mean(1)


@wrong("embed", about="encodings of different length are not padded")
def _(sentences, model, tokenizer):
    encodings = tokenizer.encode_batch(sentences)
    tokens = torch.tensor([e.ids for e in encodings])
    mask = torch.tensor([e.attention_mask for e in encodings]).bool()
    with torch.no_grad():
        return mean_pool(model(tokens, mask), mask)


@wrong("embed", about="padding counts as real")
def _(sentences, model, tokenizer):
    encodings = tokenizer.encode_batch(sentences)
    longest = max(len(e.ids) for e in encodings)
    tokens = torch.zeros(len(encodings), longest, dtype=torch.long)
    for row, e in zip(tokens, encodings, strict=True):
        row[: len(e.ids)] = torch.tensor(e.ids)
    mask = torch.ones_like(tokens, dtype=torch.bool)
    with torch.no_grad():
        return mean_pool(model(tokens, mask), mask)


@wrong("embed", about="the mask is made from the ids, an id of 0 is padding")
def _(sentences, model, tokenizer):
    ids = [torch.tensor(e.ids) for e in tokenizer.encode_batch(sentences)]
    tokens = torch.nn.utils.rnn.pad_sequence(ids, batch_first=True)
    mask = tokens != 0
    with torch.no_grad():
        return mean_pool(model(tokens, mask), mask)


@wrong("embed", about="the first token's vector in place of the mean")
def _(sentences, model, tokenizer):
    enc = tokenizer.encode_batch(sentences)
    L = max(len(e.ids) for e in enc)
    tokens = torch.tensor([e.ids + [0] * (L - len(e.ids)) for e in enc])
    mask = torch.tensor([e.attention_mask + [0] * (L - len(e.ids)) for e in enc]).bool()
    with torch.no_grad():
        return F.normalize(model(tokens, mask)[:, 0], dim=-1)


@wrong("embed", about="the mask goes to the model as numbers")
def _(sentences, model, tokenizer):
    enc = tokenizer.encode_batch(sentences)
    L = max(len(e.ids) for e in enc)
    tokens = torch.tensor([list(e.ids) + [0] * (L - len(e.ids)) for e in enc])
    mask = torch.tensor([list(e.attention_mask) + [0] * (L - len(e.ids)) for e in enc])
    with torch.no_grad():
        return mean_pool(model(tokens, mask), mask)


@wrong("embed", about="the sentences come back sorted by length")
def _(sentences, model, tokenizer):
    enc = sorted(tokenizer.encode_batch(sentences), key=lambda e: len(e.ids))
    out = []
    for e in enc:
        tokens = torch.tensor([e.ids])
        mask = torch.tensor([e.attention_mask], dtype=torch.bool)
        with torch.no_grad():
            out.append(mean_pool(model(tokens, mask), mask))
    return torch.cat(out)


@wrong("embed", about=("padding counts as real", "the mean is not scaled to unit length"))
def _(sentences, model, tokenizer):
    enc = tokenizer.encode_batch(sentences)
    L = max(len(e.ids) for e in enc)
    tokens = torch.tensor([e.ids + [0] * (L - len(e.ids)) for e in enc])
    with torch.no_grad():
        return model(tokens, torch.ones_like(tokens).bool()).mean(dim=1)


@wrong("mean_pool", about="the mask's dtype decides the result's")
def _(hidden, mask):
    m = mask.double().unsqueeze(-1)
    mean = (hidden * m).sum(dim=1) / m.sum(dim=1).clamp(min=1)
    return F.normalize(mean, dim=-1)


@wrong("convert_weights", about="every tensor becomes float32")
def _(state_dict):
    out = {}
    for name, tensor in state_dict.items():
        if name in OUTSIDE:
            new = OUTSIDE[name]
        else:
            _, _, n, rest = name.split(".", 3)
            part, kind = rest.rsplit(".", 1)
            new = f"encoder.layers.{n}.{INSIDE[part]}.{kind}"
        out[new] = tensor.float()
    return out


@wrong("contrastive_loss", about="dot products in place of cosines")
def _(anchors, positives, temperature=0.05):
    logits = torch.matmul(anchors, positives.transpose(0, 1)) / temperature
    labels = torch.arange(anchors.size(0))
    return F.cross_entropy(logits, labels)


@wrong("contrastive_loss", about="both sides choose")
def _(anchors, positives, temperature=0.05):
    a, p = F.normalize(anchors, dim=1), F.normalize(positives, dim=1)
    logits = a @ p.t() / temperature
    labels = torch.arange(a.size(0))
    return 0.5 * (F.cross_entropy(logits, labels) + F.cross_entropy(logits.t(), labels))


@wrong("contrastive_loss", about="the right pair is not below the fraction")
def _(anchors, positives, temperature=0.05):
    sim = F.cosine_similarity(anchors[:, None, :], positives[None, :, :], dim=2) / temperature
    n = sim.size(0)
    total = 0
    for i in range(n):
        rest = torch.cat([sim[i, :i], sim[i, i + 1 :]])
        total = total + torch.logsumexp(rest, dim=0) - sim[i, i]
    return total / n


@wrong("contrastive_loss", about="the temperature multiplies")
def _(anchors, positives, temperature=0.05):
    sim = F.cosine_similarity(anchors[:, None], positives[None], dim=-1)
    return -(sim * temperature).log_softmax(dim=1).diag().mean()


@wrong("contrastive_loss", about="exp and log by hand overflow for a small temperature")
def _(anchors, positives, temperature=0.05):
    sim = F.cosine_similarity(anchors[:, None], positives[None], dim=-1)
    numbers = torch.exp(sim / temperature)
    return -torch.log(torch.diag(numbers) / numbers.sum(dim=1)).mean()


@wrong("contrastive_loss", about="a vector of zeros gives NaN")
def _(anchors, positives, temperature=0.05):
    a = anchors / anchors.norm(dim=1, keepdim=True)
    p = positives / positives.norm(dim=1, keepdim=True)
    return F.cross_entropy(torch.mm(a, p.T) / temperature, torch.arange(len(a)))


@wrong("contrastive_loss", about="the positives choose among the anchors")
def _(anchors, positives, temperature=0.05):
    a, p = F.normalize(anchors, dim=-1), F.normalize(positives, dim=-1)
    logits = p.mm(a.T).div(temperature)
    return F.cross_entropy(logits, torch.arange(p.shape[0]))


@wrong("contrastive_loss", about=("dot products", "the sum in place of the mean"))
def _(anchors, positives, temperature=0.05):
    logits = anchors @ positives.T / temperature
    return F.cross_entropy(logits, torch.arange(len(anchors)), reduction="sum")


@wrong("contrastive_loss", about=("the temperature multiplies", "the positives choose"))
def _(anchors, positives, temperature=0.05):
    a, p = F.normalize(anchors, dim=-1), F.normalize(positives, dim=-1)
    return F.cross_entropy((p @ a.T) * temperature, torch.arange(len(a)))


@wrong("mean_pool", about="the vectors are not scaled to unit length")
def _(hidden, mask):
    m = mask.to(hidden.dtype).unsqueeze(-1)
    return (hidden * m).sum(1) / m.sum(1).clamp(min=1e-9)


@wrong("mean_pool", about=("divides by the full length", "not scaled to unit length"))
def _(hidden, mask):
    return torch.where(mask.bool()[..., None], hidden, 0).mean(dim=1)


@wrong("contrastive_loss", about="positives choose among anchors too, and the mean is taken")
def _(anchors, positives, temperature=0.05):
    def unit(v):
        n = v.norm(dim=-1, keepdim=True)
        return v / torch.where(n == 0, torch.ones_like(n), n)

    logits = unit(anchors) @ unit(positives).T / temperature
    labels = torch.arange(len(anchors))
    return (F.cross_entropy(logits, labels) + F.cross_entropy(logits.T, labels)) / 2


# Known mistakes made in alternatives: exercise -> (style, changes, the mistake's key).
DOTS = "split at the dots"
RULES = "regular expressions"
ZEROS = "weights of zero and one"
PADDED = "padded by hand"
SINGLE = "one sentence at a time"
ROWS = "the head's rows of the matrices"
KEYS = "all heads at once, key by key"

RESTYLED = {
    "convert_weights": [
        (
            DOTS,
            {'"self_attn.W_q"': '"self_attn.W_k"', '"self_attn.W_k"': '"self_attn.W_q"'},
            "query-key-swapped",
        ),
        (DOTS, {'"norm1"': '"norm2"', '"norm2"': '"norm1"'}, "norms-swapped"),
        (
            RULES,
            {"state_dict.items()}": 'state_dict.items() if not name.startswith("pooler")}'},
            "pooler-left-out",
        ),
        (
            RULES,
            {'r"encoder.layers.\\1."': 'r"encoder.layers."'},
            "one-place",
        ),
        (
            "every name written out",
            {"left = dict(state_dict)": "left = state_dict"},
            "changes-input",
        ),
    ],
    "mean_pool": [
        (ZEROS, {"F.normalize(mean, p=2, dim=1)": "mean"}, "not-normalized"),
        (
            ZEROS,
            {"hidden * weights": "hidden", "weights.sum(dim=1).clamp(min=1)": "hidden.shape[1]"},
            "padding-counted",
        ),
        (
            "sentence by sentence",
            {"mean / torch.linalg.vector_norm(mean)": "mean"},
            "not-normalized",
        ),
        (
            "einsum",
            {"mask.type_as(hidden)": "1 - mask.type_as(hidden)"},
            "mask-turned-around",
        ),
        (
            "einsum",
            {"total / length[:, None]": "total / total.norm().clamp(min=1e-12)"},
            "normalized-together",
        ),
    ],
    "contrastive_loss": [
        (
            "library cosine, log-sum-exp",
            {"/ temperature": "* temperature"},
            "times-temperature",
        ),
        ("library cosine, log-sum-exp", {"/ temperature": ""}, "temperature-unused"),
        (
            "library cosine, log-sum-exp",
            {"torch.logsumexp(scores, dim=1)": "torch.logsumexp(scores, dim=0)"},
            "side",
        ),
        (
            "library cosine, log-sum-exp",
            {"torch.logsumexp(scores, dim=1) - torch.diagonal(scores)": "-torch.diagonal(scores)"},
            "right-pair-only",
        ),
        (
            "the trace of a log-softmax",
            {"unit(anchors), unit(positives)": "anchors, positives"},
            "not-normalized",
        ),
        (
            "the trace of a log-softmax",
            {"/ len(anchors)": ""},
            "summed",
        ),
        (
            "the trace of a log-softmax",
            {"unit(positives)": "unit(positives.detach())"},
            "positives-detached",
        ),
        (
            "anchor by anchor",
            {"F.normalize(anchor, dim=0)": "anchor"},
            "anchors-not-normalized",
        ),
        (
            "anchor by anchor",
            {"torch.tensor(row)": "torch.tensor(0)"},
            "first-positive",
        ),
    ],
    "embed": [
        (
            PADDED,
            {"model(tokens, mask)": "model(tokens, torch.ones_like(mask))"},
            "padding-attended",
        ),
        (
            PADDED,
            {
                "(hidden * mask[..., None]).sum(dim=1) / mask.sum(dim=1, keepdim=True)": (
                    "hidden.mean(dim=1)"
                )
            },
            "padding-pooled",
        ),
        (PADDED, {"list(sentences)": "sorted(sentences, key=len)"}, "sorted"),
        (SINGLE, {"mean / mean.norm()": "mean"}, "not-normalized"),
        (
            SINGLE,
            {"[encoding.attention_mask]": "[[1] * len(encoding.ids)]"},
            "mask-from-ids",
        ),
    ],
    "attention_row": [
        (ROWS, {"states[layer].squeeze(0)": "states[layer + 1].squeeze(0)"}, "output-of-the-layer"),
        (ROWS, {"states[layer].squeeze(0)": "states[0].squeeze(0)"}, "from-the-embedding"),
        (ROWS, {"scores * D**-0.5": "scores"}, "not-divided"),
        (ROWS, {"return scores.detach()": "return (scores * D**-0.5).detach()"}, "scores-divided"),
        (KEYS, {"project(states[layer])": "project(states[layer + 1])"}, "output-of-the-layer"),
        (
            KEYS,
            {
                "queries[asking, head]": "queries[asking, head - 1]",
                "key[head]": "key[head - 1]",
                "value[head]": "value[head - 1]",
            },
            "heads-from-one",
        ),
        (KEYS, {"(attention.W_q, attention.W_k,": "(attention.W_k, attention.W_q,"}, "a-column"),
    ],
}


# Mutants of the references that compute the same, each with the reason.
EQUIVALENT = {
    (
        "mean_pool",
        (
            "total = hidden.masked_fill(~real, 0.0).sum(dim=1) => total = "
            "hidden.masked_fill(~real, 0.0).mean(dim=1)"
        ),
    ): "The result is brought to unit length, whatever the sum is divided by.",
    (
        "mean_pool",
        ("return nn.functional.normalize(total, dim=-1) => return nn.functional.normalize(total)"),
    ): "The default is dimension 1, which is the last of two.",
    (
        "contrastive_loss",
        (
            "anchors = nn.functional.normalize(anchors, dim=-1) => anchors = "
            "nn.functional.normalize(anchors)"
        ),
    ): "The default is dimension 1, which is the last of two.",
    (
        "contrastive_loss",
        (
            "positives = nn.functional.normalize(positives, dim=-1) => positives = "
            "nn.functional.normalize(positives)"
        ),
    ): "The default is dimension 1, which is the last of two.",
    (
        "attention_row",
        (
            "query, key, value = (split_heads(project(x), attention.num_heads)[0, head] for "
            "project in (attention.W_q, attention.W_k, attention.W_v)) => query, key, value = "
            "(split_heads(project(x), attention.num_heads)[-1, head] for project in "
            "(attention.W_q, attention.W_k, attention.W_v))"
        ),
    ): "The first of a batch of one is its last.",
}
