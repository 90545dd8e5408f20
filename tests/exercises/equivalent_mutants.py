"""Mutants that no check can fail, each with the reason. A stale entry fails the test."""

LAST = "The tensor has so many dimensions that this is the same one, counted from the other end."

EQUIVALENT: dict[tuple[str, str], str] = {
    (
        "exact_lookup",
        "matches = (keys == query).all(dim=1) => matches = (keys == query).all(dim=-1)",
    ): LAST,
    (
        "letter_similarity",
        "return sum((x == y for x, y in zip(a, b, strict=False))) / longer => "
        "return sum((x == y for x, y in zip(b, a, strict=False))) / longer",
    ): "Whether two letters are equal does not depend on their order.",
    (
        "letter_similarity",
        "return sum((x == y for x, y in zip(a, b, strict=False))) / longer => "
        "return sum((x == y for x, y in zip(a, b))) / longer",
    ): "False is the default.",
    (
        "kernel_regression",
        "distance = (x.unsqueeze(1) - keys) / bandwidth => "
        "distance = (keys - x.unsqueeze(1)) / bandwidth",
    ): "The distance is squared.",
    (
        "kernel_regression",
        "distance = (x.unsqueeze(1) - keys) / bandwidth => "
        "distance = (x.unsqueeze(-1) - keys) / bandwidth",
    ): LAST,
    (
        "kernel_regression",
        "weights = torch.softmax(-distance ** 2 / 2, dim=1) => "
        "weights = torch.softmax(-distance ** 2 / 2, dim=-1)",
    ): LAST,
    (
        "softmax_jacobian",
        "weights = torch.softmax(scores, dim=0) => weights = torch.softmax(scores, dim=-1)",
    ): LAST,
    (
        "equivariance_gap",
        "return (turned - straight[permutation]).abs().max().item() => "
        "return (straight[permutation] - turned).abs().max().item()",
    ): "The absolute value is taken.",
    (
        "LearnedPositions",
        "return x + self.table.weight[:L] => return x - self.table.weight[:L]",
    ): "Vectors that are learned may have either sign.",
}
