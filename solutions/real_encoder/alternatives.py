"""Chapter 13 in other styles."""

import math

import torch
from torch.nn import functional as F

from autograder.checking.samples import alternative


@alternative("convert_weights", "split at the dots")
def _(state_dict):
    tops = {
        "word_embeddings": "token_embedding",
        "position_embeddings": "position_embedding",
        "token_type_embeddings": "segment_embedding",
        "LayerNorm": "embedding_norm",
        "position_ids": "position_ids",
    }
    inner = {
        "attention.self.query": "self_attn.W_q",
        "attention.self.key": "self_attn.W_k",
        "attention.self.value": "self_attn.W_v",
        "attention.output.dense": "self_attn.W_o",
        "attention.output.LayerNorm": "norm1",
        "intermediate.dense": "feed_forward.linear1",
        "output.dense": "feed_forward.linear2",
        "output.LayerNorm": "norm2",
    }
    converted = {}
    for name, tensor in state_dict.items():
        first, *rest = name.split(".")
        if first == "embeddings":
            ours = [tops[rest[0]], *rest[1:]]
        elif first == "pooler":
            ours = ["pooler", rest[-1]]
        else:
            ours = ["encoder", "layers", rest[1], inner[".".join(rest[2:-1])], rest[-1]]
        converted[".".join(ours)] = tensor
    return converted


@alternative("convert_weights", "regular expressions")
def _(state_dict):
    import re

    rules = [
        (r"^embeddings\.word_embeddings", "token_embedding"),
        (r"^embeddings\.position_embeddings", "position_embedding"),
        (r"^embeddings\.token_type_embeddings", "segment_embedding"),
        (r"^embeddings\.LayerNorm", "embedding_norm"),
        (r"^embeddings\.", ""),
        (r"^encoder\.layer\.(\d+)\.", r"encoder.layers.\1."),
        (r"\.attention\.self\.([qkv])[a-z]+", r".self_attn.W_\1"),
        (r"\.attention\.output\.dense", ".self_attn.W_o"),
        (r"\.attention\.output\.LayerNorm", ".norm1"),
        (r"\.intermediate\.dense", ".feed_forward.linear1"),
        (r"\.output\.dense", ".feed_forward.linear2"),
        (r"\.output\.LayerNorm", ".norm2"),
        (r"^pooler\.dense", "pooler"),
    ]

    def renamed(name):
        for pattern, replacement in rules:
            name = re.sub(pattern, replacement, name)
        return name

    return {renamed(name): tensor.clone() for name, tensor in state_dict.items()}


@alternative("convert_weights", "every name written out")
def _(state_dict):
    left = dict(state_dict)
    converted = {
        "token_embedding.weight": left.pop("embeddings.word_embeddings.weight"),
        "position_embedding.weight": left.pop("embeddings.position_embeddings.weight"),
        "segment_embedding.weight": left.pop("embeddings.token_type_embeddings.weight"),
    }
    if "embeddings.position_ids" in left:
        converted["position_ids"] = left.pop("embeddings.position_ids")
    for kind in ("weight", "bias"):
        converted[f"embedding_norm.{kind}"] = left.pop(f"embeddings.LayerNorm.{kind}")
        converted[f"pooler.{kind}"] = left.pop(f"pooler.dense.{kind}")
    number = 0
    while left:
        theirs, ours = f"encoder.layer.{number}", f"encoder.layers.{number}"
        for kind in ("weight", "bias"):
            for one, other in (
                ("attention.self.query", "self_attn.W_q"),
                ("attention.self.key", "self_attn.W_k"),
                ("attention.self.value", "self_attn.W_v"),
                ("attention.output.dense", "self_attn.W_o"),
                ("attention.output.LayerNorm", "norm1"),
                ("intermediate.dense", "feed_forward.linear1"),
                ("output.dense", "feed_forward.linear2"),
                ("output.LayerNorm", "norm2"),
            ):
                converted[f"{ours}.{other}.{kind}"] = left.pop(f"{theirs}.{one}.{kind}")
        number += 1
    return converted


@alternative("mean_pool", "weights of zero and one")
def _(hidden, mask):
    weights = mask.to(hidden.dtype)[..., None]
    mean = (hidden * weights).sum(dim=1) / weights.sum(dim=1).clamp(min=1)
    return F.normalize(mean, p=2, dim=1)


@alternative("mean_pool", "sentence by sentence")
def _(hidden, mask):
    rows = []
    for vectors, real in zip(hidden, mask.bool(), strict=True):
        if not real.any():
            rows.append(vectors.sum(dim=0) * 0)
            continue
        mean = vectors[real].mean(dim=0)
        rows.append(mean / torch.linalg.vector_norm(mean))
    return torch.stack(rows)


@alternative("mean_pool", "einsum")
def _(hidden, mask):
    total = torch.einsum("ble,bl->be", hidden, mask.type_as(hidden))
    squared = torch.einsum("be,be->b", total, total)
    length = torch.where(squared > 0, squared, 1.0).sqrt()
    return total / length[:, None]


@alternative("contrastive_loss", "library cosine, log-sum-exp")
def _(anchors, positives, temperature=0.05):
    scores = F.cosine_similarity(anchors.unsqueeze(1), positives.unsqueeze(0), dim=-1) / temperature
    return torch.mean(torch.logsumexp(scores, dim=1) - torch.diagonal(scores))


@alternative("contrastive_loss", "the trace of a log-softmax")
def _(anchors, positives, temperature=0.05):
    def unit(vectors):
        return vectors / torch.linalg.vector_norm(vectors, dim=1, keepdim=True).clamp(min=1e-12)

    cosines = torch.einsum("ie,je->ij", unit(anchors), unit(positives))
    return -torch.log_softmax(cosines / temperature, dim=1).trace() / len(anchors)


@alternative("contrastive_loss", "anchor by anchor")
def _(anchors, positives, temperature=0.05):
    directions = F.normalize(positives)
    losses = []
    for row, anchor in enumerate(anchors):
        scores = directions @ F.normalize(anchor, dim=0) / temperature
        losses.append(F.cross_entropy(scores, torch.tensor(row)))
    return torch.stack(losses).mean()


@alternative("embed", "one sentence at a time")
def _(sentences, model, tokenizer):
    rows = []
    for encoding in tokenizer.encode_batch(sentences):
        mask = torch.tensor([encoding.attention_mask]).bool()
        hidden = model(torch.tensor([encoding.ids]), mask)
        mean = hidden[0][mask[0]].mean(dim=0)
        rows.append(mean / mean.norm())
    return torch.stack(rows).detach()


@alternative("embed", "padded by hand")
def _(sentences, model, tokenizer):
    encodings = tokenizer.encode_batch(list(sentences))
    longest = max(len(encoding.ids) for encoding in encodings)
    tokens = torch.zeros(len(encodings), longest, dtype=torch.long)
    mask = torch.zeros(len(encodings), longest, dtype=torch.bool)
    for row, encoding in enumerate(encodings):
        tokens[row, : len(encoding.ids)] = torch.tensor(encoding.ids)
        mask[row, : len(encoding.ids)] = torch.tensor(encoding.attention_mask) == 1
    hidden = model(tokens, mask)
    mean = (hidden * mask[..., None]).sum(dim=1) / mask.sum(dim=1, keepdim=True)
    return F.normalize(mean, dim=-1)


@alternative("attention_row", "the head's rows of the matrices")
def _(model, tokens, layer, head, asking):
    all_real = torch.ones_like(tokens, dtype=torch.bool)
    states, _ = model.all_layers(tokens.unsqueeze(0), all_real.unsqueeze(0))
    x = states[layer].squeeze(0).detach()  # (L, E)
    attention = model.encoder.layers[layer].self_attn
    D = x.shape[1] // attention.num_heads
    own = slice(head * D, (head + 1) * D)  # of what nn.Linear keeps, [out, in]
    query = F.linear(x[asking], attention.W_q.weight[own], attention.W_q.bias[own])
    key = F.linear(x, attention.W_k.weight[own], attention.W_k.bias[own])
    value = F.linear(x, attention.W_v.weight[own], attention.W_v.bias[own])
    scores = torch.mv(key, query)
    weights = torch.softmax(scores * D**-0.5, dim=0)
    return scores.detach(), weights.detach(), torch.mv(value.T, weights).detach()


@alternative("attention_row", "all heads at once, key by key")
def _(model, tokens, layer, head, asking):
    batch = tokens.reshape(1, -1)
    states = model.all_layers(batch, batch == batch)[0]
    attention = model.encoder.layers[layer].self_attn

    def heads_of(project):
        projected = project(states[layer])[0].detach()  # (L, E)
        return projected.unflatten(-1, (attention.num_heads, -1))  # (L, H, D)

    queries, keys, values = map(heads_of, (attention.W_q, attention.W_k, attention.W_v))
    own = queries[asking, head]
    scores = torch.stack([(own * key[head]).sum() for key in keys])
    shares = (scores / math.sqrt(own.numel())).exp()
    weights = shares / shares.sum()
    output = torch.zeros_like(own)
    for weight, value in zip(weights, values, strict=True):
        output = output + weight * value[head]
    return scores, weights, output


@alternative("mean_pool", "from the docstring")
def _(hidden, mask):
    m = mask.to(hidden.dtype)[..., None]
    mean = (hidden * m).sum(1) / m.sum(1).clamp(min=1)
    square = (mean * mean).sum(-1, keepdim=True)
    return mean / torch.where(square > 0, square, torch.ones_like(square)).sqrt()


@alternative("contrastive_loss", "from the docstring")
def _(anchors, positives, temperature=0.05):
    def unit(x):
        n2 = (x * x).sum(-1, keepdim=True)
        return x / torch.where(n2 > 0, n2, torch.ones_like(n2)).sqrt()

    scores = unit(anchors) @ unit(positives).T / temperature
    return F.cross_entropy(scores, torch.arange(len(scores)))
