"""Chapter 5."""

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
}
