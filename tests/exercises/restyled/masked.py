"""Chapter 7."""

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
    "KeyValueCache": [
        (
            "lists of pieces",
            {"torch.cat(self.pieces[0], dim=2), torch.cat(self.pieces[1], dim=2)": "key, value"},
            "All are kept, but only the new",
        ),
        (
            "lists of pieces",
            {"sum(piece.size(2) for piece in self.pieces[0])": "len(self.pieces[0])"},
            "The length counts",
        ),
        (
            "an empty module at first",
            {"[old, new]": "[new, old]"},
            "New positions are put in front",
        ),
        (
            "an empty module at first",
            {" if self.stored else 0": ""},
            "An empty cache has no length",
        ),
        (
            "an empty module at first",
            {"self.stored[0].shape[2]": "self.stored[0].shape[0]"},
            "The length is the size of the batch",
        ),
    ],
    "blockwise_attention": [
        ("blocks of keys, all queries at once", {"* scale": ""}, "The scores are not divided"),
        ("blocks of keys, all queries at once", {"total * kept": "total"}, "The outputs so far"),
        ("blocks of keys, all queries at once", {"+ (S - L)": ""}, "With `causal` and L < S"),
        (
            "blocks of keys, all queries at once",
            {
                "kept = torch.exp(largest - new)": "kept = 1.0",
                "torch.exp(scores - new)": "torch.exp(scores)",
            },
            "No maximum is subtracted",
        ),
        (
            "two passes: the sum, then the output",
            {"if causal else S": "if False else S"},
            "`causal` is not used",
        ),
    ],
    "next_token_probabilities": [
        (
            "sorted once, everything in that order",
            {"/ temperature, dim=-1": "* temperature, dim=-1"},
            "The logits are multiplied by the temperature",
        ),
        (
            "sorted once, everything in that order",
            {"(ordered - ordered[..., :1]) / temperature": "ordered"},
            "The temperature is not used",
        ),
        (
            "sorted once, everything in that order",
            {"dropped = F.pad(reached[..., :-1], (1, 0), value=False)": "dropped = reached"},
            "The token with which the sum reaches top_p is dropped",
        ),
        (
            "row by row",
            {"result[best] = 1 / len(best)": "result[best[0]] = 1"},
            "At temperature 0 only the first",
        ),
        ("row by row", {"(chances / chances.sum())": "chances"}, "What is left after top_p"),
    ],
    "induction_score": [
        (
            "loops over queries and keys",
            {"places = [key + 1 for": "places = [key for"},
            "The weight on the earlier occurrence itself",
        ),
        (
            "loops over queries and keys",
            {"count += 1": "count += len(places)"},
            "The mean is over all pairs",
        ),
        (
            "one hot, einsum, and a shift of the weights",
            {"/ queries if queries > 0 else torch.zeros_like(total)": "/ queries"},
            "Where no token stands twice",
        ),
        (
            "one hot, einsum, and a shift of the weights",
            {"queries = same.any(dim=2).sum()": "queries = torch.tensor(tokens.numel())"},
            "The mean is over all queries",
        ),
    ],
}
