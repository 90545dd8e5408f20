"""What a check is: inputs drawn from a seed, two callables, comparisons, and a verdict."""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from autograder.checking.comparing import (
        Failure,
        agrees,
        close,
        holds_at_most,
        raises,
        require,
        same,
    )
    from autograder.checking.judge import PUBLIC_SEED, Lost
    from autograder.checking.predicting import prediction
    from autograder.checking.recording import record, reference_for
    from autograder.checking.registry import by, exercise, exercises, find, mend, mistakes
    from autograder.checking.values import built, portable
    from autograder.checking.verdict import Verdict

# Imported on first use: who writes a table of scores needs a verdict, and not PyTorch. The function
# `judge` is not here, since its module has that name too.
_HOMES = {
    "comparing": ("Failure", "agrees", "close", "holds_at_most", "raises", "require", "same"),
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
            found = getattr(importlib.import_module(f"{__name__}.{home}"), name)
            globals()[name] = found
            return found
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
