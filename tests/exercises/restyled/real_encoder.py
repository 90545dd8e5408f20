"""Chapter 13."""

DOTS = "split at the dots"
RULES = "regular expressions"
ZEROS = "weights of zero and one"
PADDED = "padded by hand"
SINGLE = "one sentence at a time"

RESTYLED = {
    "convert_weights": [
        (
            DOTS,
            {'"self_attn.W_q"': '"self_attn.W_k"', '"self_attn.W_k"': '"self_attn.W_q"'},
            "Queries and keys are exchanged",
        ),
        (DOTS, {'"norm1"': '"norm2"', '"norm2"': '"norm1"'}, "The two norms of a layer"),
        (
            RULES,
            {"state_dict.items()}": 'state_dict.items() if not name.startswith("pooler")}'},
            "The pooler was left out",
        ),
        (
            RULES,
            {'r"encoder.layers.\\1."': 'r"encoder.layers."'},
            "All layers went to one place",
        ),
        (
            "every name written out",
            {"left = dict(state_dict)": "left = state_dict"},
            "The names were changed in the dictionary",
        ),
    ],
    "mean_pool": [
        (ZEROS, {"F.normalize(mean, p=2, dim=1)": "mean"}, "The vectors were not scaled"),
        (
            ZEROS,
            {"hidden * weights": "hidden", "weights.sum(dim=1).clamp(min=1)": "hidden.shape[1]"},
            "The mean runs over padding",
        ),
        (
            "sentence by sentence",
            {"mean / torch.linalg.vector_norm(mean)": "mean"},
            "The vectors were not scaled",
        ),
        (
            "einsum",
            {"mask.type_as(hidden)": "1 - mask.type_as(hidden)"},
            "The mask is used the wrong way round",
        ),
        (
            "einsum",
            {"total / length[:, None]": "total / total.norm().clamp(min=1e-12)"},
            "All vectors together",
        ),
    ],
    "contrastive_loss": [
        (
            "library cosine, log-sum-exp",
            {"/ temperature": "* temperature"},
            "The scores are multiplied",
        ),
        ("library cosine, log-sum-exp", {"/ temperature": ""}, "The temperature is not used"),
        (
            "library cosine, log-sum-exp",
            {"torch.logsumexp(scores, dim=1)": "torch.logsumexp(scores, dim=0)"},
            "The wrong side chooses",
        ),
        (
            "library cosine, log-sum-exp",
            {"torch.logsumexp(scores, dim=1) - torch.diagonal(scores)": "-torch.diagonal(scores)"},
            "Only the score of the right pair counts",
        ),
        (
            "the trace of a log-softmax",
            {"unit(anchors), unit(positives)": "anchors, positives"},
            "The scores are dot products",
        ),
        (
            "the trace of a log-softmax",
            {"/ len(anchors)": ""},
            "The losses of the anchors were added",
        ),
        (
            "the trace of a log-softmax",
            {"unit(positives)": "unit(positives.detach())"},
            "The positives get no gradient",
        ),
        (
            "anchor by anchor",
            {"F.normalize(anchor, dim=0)": "anchor"},
            "The anchors were not scaled",
        ),
        (
            "anchor by anchor",
            {"torch.tensor(row)": "torch.tensor(0)"},
            "Every anchor is told to choose the first",
        ),
    ],
    "embed": [
        (
            PADDED,
            {"model(tokens, mask)": "model(tokens, torch.ones_like(mask))"},
            "The model gets a mask that is all True",
        ),
        (
            PADDED,
            {
                "(hidden * mask[..., None]).sum(dim=1) / mask.sum(dim=1, keepdim=True)": (
                    "hidden.mean(dim=1)"
                )
            },
            "The mean runs over padding",
        ),
        (PADDED, {"list(sentences)": "sorted(sentences, key=len)"}, "The vectors of all sentences"),
        (SINGLE, {"mean / mean.norm()": "mean"}, "The embeddings do not have unit length"),
        (
            SINGLE,
            {"[encoding.attention_mask]": "[[1] * len(encoding.ids)]"},
            "The attention mask is made from `ids`",
        ),
    ],
}
