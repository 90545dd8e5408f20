"""Wrong answers, as changes of right ones, each with the key of what is to be said of it."""

WRONG = {
    "convert_weights": [
        (
            "split at the dots",
            {'"self_attn.W_q"': '"self_attn.W_k"', '"self_attn.W_k"': '"self_attn.W_q"'},
            "query-key-swapped",
        ),
        ("split at the dots", {'"norm1"': '"norm2"', '"norm2"': '"norm1"'}, "norms-swapped"),
        (
            "regular expressions",
            {"state_dict.items()}": ('state_dict.items() if not name.startswith("pooler")}')},
            "pooler-left-out",
        ),
        ("regular expressions", {'r"encoder.layers.\\1."': 'r"encoder.layers."'}, "one-place"),
        (
            "every name written out",
            {"left = dict(state_dict)": "left = state_dict"},
            "changes-input",
        ),
    ],
    "mean_pool": [
        ("weights of zero and one", {"F.normalize(mean, p=2, dim=1)": "mean"}, "not-normalized"),
        (
            "weights of zero and one",
            {"hidden * weights": "hidden", "weights.sum(dim=1).clamp(min=1)": "hidden.shape[1]"},
            "padding-counted",
        ),
        (
            "sentence by sentence",
            {"mean / torch.linalg.vector_norm(mean)": "mean"},
            "not-normalized",
        ),
        ("einsum", {"mask.type_as(hidden)": "1 - mask.type_as(hidden)"}, "mask-turned-around"),
        (
            "einsum",
            {"total / length[:, None]": "total / total.norm().clamp(min=1e-12)"},
            "normalized-together",
        ),
        (
            "from the docstring",
            {"m =": ("hidden = hidden / hidden.norm(dim=-1, keepdim=True).clamp(min=1e-12)\nm =")},
            "tokens-normalized",
        ),
        (
            "from the docstring",
            {"(hidden * m).sum(1) / m.sum(1).clamp(min=1)": "hidden[:, 0] * m[:, 0]"},
            "first-token",
        ),
        (
            "from the docstring",
            {("mean / torch.where(square > 0, square, torch.ones_like(square)).sqrt()"): "mean"},
            "not-normalized",
        ),
    ],
    "contrastive_loss": [
        ("library cosine, log-sum-exp", {"/ temperature": "* temperature"}, "times-temperature"),
        ("library cosine, log-sum-exp", {"/ temperature": ""}, "temperature-unused"),
        (
            "library cosine, log-sum-exp",
            {"torch.logsumexp(scores, dim=1)": "torch.logsumexp(scores, dim=0)"},
            "side",
        ),
        (
            "library cosine, log-sum-exp",
            {
                (
                    "torch.logsumexp(scores, dim=1) - torch.diagonal(scores)"
                ): "-torch.diagonal(scores)"
            },
            "right-pair-only",
        ),
        (
            "the trace of a log-softmax",
            {"unit(anchors), unit(positives)": "anchors, positives"},
            "not-normalized",
        ),
        ("the trace of a log-softmax", {"/ len(anchors)": ""}, "summed"),
        (
            "the trace of a log-softmax",
            {"unit(positives)": "unit(positives.detach())"},
            "positives-detached",
        ),
        ("anchor by anchor", {"F.normalize(anchor, dim=0)": "anchor"}, "anchors-not-normalized"),
        ("anchor by anchor", {"torch.tensor(row)": "torch.tensor(0)"}, "first-positive"),
        (
            "from the docstring",
            {
                ("return F.cross_entropy(scores, torch.arange(len(scores)))"): (
                    "right = torch.arange(len(scores))\n"
                    "return (F.cross_entropy(scores, right) + "
                    "F.cross_entropy(scores.T, right)) / 2"
                )
            },
            "both-sides",
        ),
        ("from the docstring", {"(positives": "(anchors"}, "slip.instead"),
        ("from the docstring", {"scores))": 'scores)), reduction="sum"'}, "summed"),
    ],
    "embed": [
        (
            "padded by hand",
            {
                "tokens[row, : len(encoding.ids)]": "tokens[row, longest - len(encoding.ids) :]",
                "mask[row, : len(encoding.ids)]": "mask[row, longest - len(encoding.ids) :]",
            },
            "padded-in-front",
        ),
        (
            "padded by hand",
            {"model(tokens, mask)": "model(tokens, torch.ones_like(mask))"},
            "padding-attended",
        ),
        (
            "padded by hand",
            {
                (
                    "(hidden * mask[..., None]).sum(dim=1) / mask.sum(dim=1, keepdim=True)"
                ): "hidden.mean(dim=1)"
            },
            "padding-pooled",
        ),
        ("padded by hand", {"list(sentences)": "sorted(sentences, key=len)"}, "sorted"),
        ("one sentence at a time", {"mean / mean.norm()": "mean"}, "not-normalized"),
        (
            "one sentence at a time",
            {"[encoding.attention_mask]": "[[1] * len(encoding.ids)]"},
            "mask-from-ids",
        ),
    ],
    "attention_row": [
        (
            "the head's rows of the matrices",
            {"states[layer].squeeze(0)": "states[layer + 1].squeeze(0)"},
            "output-of-the-layer",
        ),
        (
            "the head's rows of the matrices",
            {"states[layer].squeeze(0)": "states[0].squeeze(0)"},
            "from-the-embedding",
        ),
        ("the head's rows of the matrices", {"scores * D**-0.5": "scores"}, "not-divided"),
        (
            "the head's rows of the matrices",
            {"return scores.detach()": "return (scores * D**-0.5).detach()"},
            "scores-divided",
        ),
        (
            "all heads at once, key by key",
            {"project(states[layer])": "project(states[layer + 1])"},
            "output-of-the-layer",
        ),
        (
            "all heads at once, key by key",
            {
                "queries[asking, head]": "queries[asking, head - 1]",
                "key[head]": "key[head - 1]",
                "value[head]": "value[head - 1]",
            },
            "heads-from-one",
        ),
        (
            "all heads at once, key by key",
            {"(attention.W_q, attention.W_k,": "(attention.W_k, attention.W_q,"},
            "a-column",
        ),
    ],
}

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
