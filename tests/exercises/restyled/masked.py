"""Chapter 8."""

RESTYLED = {
    "causal_mask": [
        ("compare positions", {">=": "<="}, "The mask is upside down"),
        ("compare positions", {">=": ">"}, "The diagonal is masked out"),
        ("loops", {"range(past_length + i + 1)": "range(i + 1)"}, "The triangle begins"),
        ("loops", {"dtype=torch.bool": ""}, "The mask holds 0 and 1"),
        (
            "a past that is all open, and a triangle",
            {"torch.ones((length, past_length))": "torch.zeros((length, past_length))"},
            "The past is masked out",
        ),
        (
            "a past that is all open, and a triangle",
            {
                "[past, torch.tril(torch.ones((length, length)))]": ""
                "[torch.tril(torch.ones((length, length))), past]"
            },
            "The keys of the past come last",
        ),
    ],
    "padding_mask": [
        ("row by row", {"position <": "position <="}, "One position too many"),
        (
            "row by row",
            {"range(max_length)": "range(int(lengths.max()))"},
            "The mask is only as wide",
        ),
        (
            "row by row",
            {"torch.tensor(rows)": "torch.tensor(rows).float()"},
            "The mask holds 0 and 1",
        ),
        ("count with cumsum", {"counted.le(": "counted.gt("}, "True stands for padding"),
        (
            "count with cumsum",
            {"lengths.reshape(-1, 1))": "lengths.reshape(-1, 1)).unsqueeze(1).unsqueeze(1)"},
            "The mask has dimensions",
        ),
    ],
    "masked_softmax": [
        (
            "exponentials times the mask",
            {
                "scores.amax(dim,": "scores.amax(-1,",
                "exponentials.sum(dim,": "exponentials.sum(-1,",
            },
            "The softmax always runs",
        ),
        (
            "fill empty slices first",
            {
                "scores.masked_fill(empty, 0.0).softmax(dim).masked_fill(empty, 0.0)": ""
                "scores.softmax(dim)"
            },
            "A row that is masked fully gives NaN",
        ),
        (
            "softmax, then zero what is masked",
            {"weights.masked_fill(~mask, 0)": "weights"},
            "A row that is masked fully gives equal weights",
        ),
        (
            "softmax, then zero what is masked",
            {"if mask is None": "if True"},
            "The mask is not used",
        ),
        (
            "fill empty slices first",
            {
                "torch.where(mask, scores, -math.inf)": "mask * scores",
                "scores.masked_fill(empty, 0.0).softmax(dim).masked_fill(empty, 0.0)": ""
                "scores.softmax(dim)",
            },
            "The scores are multiplied by the mask",
        ),
    ],
    "next_token_loss": [
        (
            "ignore_index and a sum",
            {"return total / max(int(count), 1)": "return total"},
            "The sum is returned",
        ),
        (
            "gather log-probabilities",
            {"logits[:, :-1].log_softmax(dim=-1)": "logits[:, :-1].softmax(dim=-1).log()"},
            "The logarithm is taken of a softmax",
        ),
        (
            "gather log-probabilities",
            {
                "/ (targets != pad_id).sum().clamp(min=1)": "/ (targets != pad_id).sum()",
                "max(targets.numel(), 1)": "targets.numel()",
            },
            "Without any target",
        ),
        (
            "loops",
            {"text[position + 1]": "text[position]", "range(len(text) - 1)": "range(len(text))"},
            "The logits at each position",
        ),
        ("loops", {"if pad_id is None or": "if not pad_id or"}, "A pad_id of 0"),
        ("loops", {"target != pad_id": "text[position] != pad_id"}, "Positions whose input"),
    ],
    "mask_tokens": [
        ("three rounds of coins", {"labels[~chosen] = -100": ""}, "Every token is a label"),
        (
            "three rounds of coins",
            {"torch.full(labels.shape, 0.8)": "torch.full(labels.shape, 1.0)"},
            "Every chosen token",
        ),
        (
            "three rounds of coins",
            {"chances.masked_fill(special, 0.0)": "chances"},
            "Special tokens are chosen",
        ),
        (
            "three rounds of coins",
            {
                "labels, inputs = tokens.clone(), tokens.clone()": "labels, inputs = "
                "tokens.clone(), tokens"
            },
            "The tokens given are changed",
        ),
        (
            "one number decides all",
            {
                "torch.where(number < probability, tokens, -100)": "torch.where(number < "
                "probability, -100, tokens)"
            },
            "The labels are -100",
        ),
        ("one number decides all", {"randint(0, vocab_size,": "randint(1, vocab_size,"}, "Token 0"),
    ],
}
