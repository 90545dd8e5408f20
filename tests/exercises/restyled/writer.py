"""Chapter 10."""

RESTYLED = {
    "KeyValueCache": [
        (
            "lists of pieces",
            {"torch.cat(self.pieces[0], dim=2), torch.cat(self.pieces[1], dim=2)": "key, value"},
            "new-returned",
        ),
        (
            "lists of pieces",
            {"sum(piece.size(2) for piece in self.pieces[0])": "len(self.pieces[0])"},
            "length-in-calls",
        ),
        (
            "an empty module at first",
            {"[old, new]": "[new, old]"},
            "in-front",
        ),
        (
            "an empty module at first",
            {" if self.stored else 0": ""},
            "empty-fails",
        ),
        (
            "an empty module at first",
            {"self.stored[0].shape[2]": "self.stored[0].shape[0]"},
            "length-of-batch",
        ),
    ],
    "blockwise_attention": [
        ("blocks of keys, all queries at once", {"* scale": ""}, "not-scaled"),
        ("blocks of keys, all queries at once", {"total * kept": "total"}, "outputs-only-rescaled"),
        ("blocks of keys, all queries at once", {"+ (S - L)": ""}, "first-positions"),
        (
            "blocks of keys, all queries at once",
            {
                "kept = torch.exp(largest - new)": "kept = 1.0",
                "torch.exp(scores - new)": "torch.exp(scores)",
            },
            "no-maximum",
        ),
        (
            "two passes: the sum, then the output",
            {"if causal else S": "if False else S"},
            "causal-unused",
        ),
    ],
    "next_token_probabilities": [
        (
            "sorted once, everything in that order",
            {"/ temperature, dim=-1": "* temperature, dim=-1"},
            "temperature",
        ),
        (
            "sorted once, everything in that order",
            {"(ordered - ordered[..., :1]) / temperature": "ordered"},
            "temperature-unused",
        ),
        (
            "sorted once, everything in that order",
            {"dropped = F.pad(reached[..., :-1], (1, 0), value=False)": "dropped = reached"},
            "crossing",
        ),
        (
            "row by row",
            {"result[best] = 1 / len(best)": "result[best[0]] = 1"},
            "zero-first-only",
        ),
        ("row by row", {"(chances / chances.sum())": "chances"}, "top-p-not-divided"),
    ],
    "induction_score": [
        (
            "loops over queries and keys",
            {"places = [key + 1 for": "places = [key for"},
            "after",
        ),
        (
            "loops over queries and keys",
            {"count += 1": "count += len(places)"},
            "mean-of-pairs",
        ),
        (
            "one hot, einsum, and a shift of the weights",
            {"/ queries if queries > 0 else torch.zeros_like(total)": "/ queries"},
            "nothing-nan",
        ),
        (
            "one hot, einsum, and a shift of the weights",
            {"queries = same.any(dim=2).sum()": "queries = torch.tensor(tokens.numel())"},
            "mean",
        ),
    ],
}
