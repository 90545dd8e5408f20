"""What a check is: inputs drawn from a seed, two callables, comparisons, and a verdict."""

import importlib
from typing import Any

# What checks are written with, imported on first use: who reads a verdict needs no PyTorch.
_HOMES = {
    "autograder.checking.comparing": (
        "Ask",
        "Failure",
        "agrees",
        "backpropagates",
        "close",
        "holds_at_most",
        "raises",
        "require",
        "same",
    ),
    "autograder.checking.predictions": ("prediction",),
    "autograder.checking.registry": (
        "by",
        "exercise",
        "exercises",
        "find",
        "mend",
        "misconceptions",
    ),
    "autograder.remote.values": ("built", "portable"),
    "autograder.checking.verdict": ("Verdict",),
}


def __getattr__(name: str) -> Any:
    for home, names in _HOMES.items():
        if name in names:
            return getattr(importlib.import_module(home), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
