"""Chapter 10."""

RESTYLED = {
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
