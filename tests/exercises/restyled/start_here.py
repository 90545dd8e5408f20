"""Chapter 0."""

RESTYLED = {
    "double": [
        ("sum", {"x + x": "x + 2"}, "Two was added to every entry"),
        ("stacked", {".sum(": ".prod("}, "Every entry was squared"),
        ("in place, on a copy", {"x.clone()": "x"}, "The result is right, but the input"),
    ],
}
