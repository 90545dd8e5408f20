"""Chapter 7."""

RESTYLED = {
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
