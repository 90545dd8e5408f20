"""Chapter 13."""

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
