"""Chapter 0."""

RESTYLED = {
    "double": [
        ("sum", {"x + x": "x + 2"}, "two-added"),
        ("stacked", {".sum(": ".prod("}, "squared"),
        ("in place, on a copy", {"x.clone()": "x"}, "changes-input"),
    ],
}
