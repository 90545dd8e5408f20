"""Wrong answers, as changes of right ones, each with the key of what is to be said of it."""

WRONG = {
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
                ("[past, torch.tril(torch.ones((length, length)))]"): (
                    "[torch.tril(torch.ones((length, length))), past]"
                )
            },
            "past-last",
        ),
        ("from the docstring", {"<=": "<"}, "diagonal-masked"),
        (
            "from the docstring",
            {"key <= query": "(key <= query) & (key >= past_length)"},
            "past-masked",
        ),
        ("from the docstring", {"key <= query": "(key <= query).float()"}, "not-boolean"),
    ],
    "padding_mask": [
        ("row by row", {"position <": "position <="}, "one-too-many"),
        ("row by row", {"range(max_length)": "range(int(lengths.max()))"}, "longest-width"),
        ("row by row", {"torch.tensor(rows)": "torch.tensor(rows).float()"}, "not-boolean"),
        ("count with cumsum", {"counted.le(": "counted.gt("}, "true-forbids"),
        (
            "count with cumsum",
            {"lengths.reshape(-1, 1))": ("lengths.reshape(-1, 1)).unsqueeze(1).unsqueeze(1)")},
            "with-heads",
        ),
        ("from the docstring", {"(max_length": "(max_length - 1, -1, -1"}, "padding-in-front"),
        ("from the docstring", {"(max_length": "(int(lengths.max())"}, "longest-width"),
        ("from the docstring", {"<": "<="}, "one-too-many"),
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
                (
                    "scores.masked_fill(empty, 0.0).softmax(dim).masked_fill(empty, 0.0)"
                ): "scores.softmax(dim)"
            },
            "empty-row-nan",
        ),
        (
            "softmax, then zero what is masked",
            {"weights.masked_fill(~mask, 0)": "weights"},
            "large-negative",
        ),
        ("softmax, then zero what is masked", {"if mask is None": "if True"}, "mask-unused"),
        (
            "fill empty slices first",
            {
                "torch.where(mask, scores, -math.inf)": "mask * scores",
                (
                    "scores.masked_fill(empty, 0.0).softmax(dim).masked_fill(empty, 0.0)"
                ): "scores.softmax(dim)",
            },
            "masked-score-multiplied",
        ),
        (
            "from the docstring",
            {
                (
                    "torch.where(mask, scores, torch.full_like(scores, -math.inf)"
                ): "scores + mask.to(scores.dtype"
            },
            "plain.where+rows+where",
        ),
        ("from the docstring", {"softmax(filled": "softmax(scores"}, "masked-after-softmax"),
        ("from the docstring", {"filled, dim=dim": "filled, dim=-1"}, "dim-unused"),
        (
            "exponentials times the mask",
            {"scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)": "pass"},
            "masked-and-divided",
        ),
    ],
    "next_token_loss": [
        ("ignore_index and a sum", {"return total / max(int(count), 1)": "return total"}, "summed"),
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
        (
            "from the docstring",
            {("logits[:, :-1]\ntargets = tokens[:, 1:]"): ("logits\ntargets = tokens")},
            "not-shifted",
        ),
        ("from the docstring", {"=1": "=1) / math.log(2"}, "in-bits"),
        ("from the docstring", {"real.sum().clamp(min=": "max(real.numel(),"}, "by-all-positions"),
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
                (
                    "labels, inputs = tokens.clone(), tokens.clone()"
                ): "labels, inputs = tokens.clone(), tokens"
            },
            "changes-input",
        ),
        (
            "one number decides all",
            {
                ("torch.where(number < probability, tokens, -100)"): (
                    "torch.where(number < probability, -100, tokens)"
                )
            },
            "labels-inverted",
        ),
        (
            "one number decides all",
            {"randint(0, vocab_size,": "randint(1, vocab_size,"},
            "token-zero-never",
        ),
        ("from the docstring", {"< 0.8": "< 1.8"}, "ninety-percent"),
        ("from the docstring", {"chosen,": "chosen & (what < 0.8),"}, "only-masked-labeled"),
        ("from the docstring", {"& ~special": ""}, "special-chosen"),
        (
            "from the docstring",
            {"torch.where(chosen, tokens,": "torch.where(chosen & (what < 0.8), tokens,"},
            "only-masked-labeled",
        ),
    ],
}
