"""Chapter 2."""

RESTYLED = {
    "softmax": [
        (
            "slice by slice",
            {"numbers / numbers.sum()": "numbers"},
            "The exponentials are not divided by their sum",
        ),
        (
            "fill empty slices first",
            {
                "dim=dim, keepdim=True).values": "dim=-1, keepdim=True).values",
                "sum(dim=dim": "sum(-1",
            },
            "The last dimension is always the one",
        ),
        (
            "slice by slice",
            {"torch.exp(row - largest)": "torch.exp(row)"},
            "exp of a large score is infinite",
        ),
        (
            "slice by slice",
            {"if largest == -math.inf:": "if False:"},
            "A slice that is all -inf gives NaN",
        ),
    ],
    "sharpen": [
        (
            "temperature",
            {
                "scores / temperature": "scores * sharpness",
                "if temperature == 0": "if False",
            },
            "The scores are multiplied by the sharpness alone",
        ),
        (
            "temperature",
            {"return best / best.sum(-1, keepdim=True)": "return best"},
            "At sharpness 1 each of several",
        ),
        ("temperature", {"if sharpness < 0 or sharpness > 1:": "if False:"}, "A sharpness outside"),
        (
            "mask the others with -inf",
            {"flat.softmax(dim=-1)": "F.one_hot(scores.argmax(-1), scores.shape[-1]).to(scores)"},
            "At sharpness 1 only one",
        ),
    ],
    "softmax_jacobian": [
        (
            "product with delta minus weight",
            {"(torch.eye(scores.numel()).to(scores) - weights[None, :])": "(0 - weights[None, :])"},
            "The diagonal lacks a term",
        ),
        (
            "product with delta minus weight",
            {".to(scores) - weights": ".to(scores) + weights"},
            "The sign beside the diagonal",
        ),
        (
            "product with delta minus weight",
            {"F.softmax(scores, dim=-1)": "F.softmax(scores, dim=-1).detach()"},
            "The values are right, but the result is cut off",
        ),
        (
            "einsum with the identity",
            {"scores.softmax(dim=0)": "scores"},
            "The formula was applied to the scores",
        ),
    ],
    "distance_scores": [
        ("einsum", {"-(query_square": "(query_square"}, "The sign is missing"),
        ("einsum", {"- 2 * cross": "- cross"}, "The cross term is there once only"),
        ("einsum", {"query_square[..., :, None] - 2": "0 - 2"}, "The squared length of the query"),
        ("cdist", {".pow(2)": ""}, "The distance is not squared: a square root was taken. The"),
    ],
    "cosine_scores": [
        ("normalize", {"F.normalize(key, dim=-1)": "key"}, "Only the queries"),
        ("einops", {"return torch": "return 1 - torch"}, "This is the cosine distance"),
        (
            "einops",
            {"torch.where(lengths > 0, lengths, 1.0), 0.0)": "lengths, products / lengths)"},
            "A vector of zeros was divided",
        ),
        (
            "einops",
            {"query_length * key_length": "query_length**2 * key_length**2"},
            "The dot products are divided by the squared lengths",
        ),
    ],
    "scaled_dot_product_scores": [
        ("einsum", {"* query.size(-1) ** -0.5": ""}, "The dot products are not scaled"),
        ("einsum", {"-0.5": "-1"}, "The dot products are divided by D"),
        (
            "scale the query first",
            {"query.shape[-1]": "key.shape[-2]"},
            "The scale is taken from the number of keys",
        ),
        (
            "broadcast and sum",
            {
                "return products": "return torch.softmax(products",
                "(math.sqrt(key.size(-1)))": "(math.sqrt(key.size(-1))), -1)",
            },
            "A softmax was applied",
        ),
    ],
}
