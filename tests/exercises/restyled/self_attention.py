"""Chapter 5."""

UNDONE = "undo the order instead"

RESTYLED = {
    "SelfAttention": [
        (
            "einsum, zeros where nothing is allowed",
            {"/ self.scale": ""},
            "The scores are not divided by sqrt(key_dim)",
        ),
        (
            "einsum, zeros where nothing is allowed",
            {"mask.logical_not()": "mask", "weights = weights * mask": "weights = weights * ~mask"},
            "The mask is taken the wrong way around",
        ),
        (
            "one product for all three",
            {".nan_to_num(0.0)": ""},
            "A position that may attend to nothing gets NaN",
        ),
        (
            "one product for all three",
            {"query, key, value = F": "key, query, value = F"},
            "W_q and W_k are swapped",
        ),
        (
            "one product for all three",
            {"* self.sizes[0] ** -0.5": "* self.sizes[2] ** -0.5"},
            "The scores are scaled by the wrong size: the square root of value_dim",
        ),
    ],
    "equivariance_gap": [
        (UNDONE, {"results[0][back]": "results[0]"}, "layer(Px) is compared with layer(x) as it"),
        (UNDONE, {"p=math.inf": "p=2"}, "The differences were squared and added up"),
        ("row by row", {".abs()": ""}, "The largest difference was taken with its sign"),
        (
            "row by row",
            {".abs().max()": ".abs().mean()", "max(gaps)": "sum(gaps) / len(gaps)"},
            "The absolute differences were averaged",
        ),
        (
            "a permutation matrix",
            {"P @ first": "P.T @ first"},
            "The output is put in the inverse order",
        ),
        (
            "a permutation matrix",
            {"result[0]": "result[-1]"},
            "A layer that returns a tuple was judged by its last element",
        ),
    ],
}
