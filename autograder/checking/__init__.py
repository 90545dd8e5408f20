"""What a check is: inputs drawn from a seed, two callables, comparisons, and a verdict."""

import importlib
from typing import Any

# What checks are written with, imported on first use: who reads a verdict needs no PyTorch. The
# function `judge` is not here, since its module has that name too.
_HOMES = {
    "comparing": (
        "Failure",
        "agrees",
        "backpropagates",
        "close",
        "holds_at_most",
        "raises",
        "require",
        "same",
    ),
    "judge": ("PUBLIC_SEED", "Lost"),
    "predicting": ("prediction",),
    "recording": ("record", "reference_for"),
    "registry": ("by", "exercise", "exercises", "find", "mend", "mistakes"),
    "values": ("built", "portable"),
    "verdict": ("Verdict",),
}


def __getattr__(name: str) -> Any:
    for home, names in _HOMES.items():
        if name in names:
            return getattr(importlib.import_module(f"{__name__}.{home}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
