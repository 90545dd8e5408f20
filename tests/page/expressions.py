"""What an expression gives, as plain data: the same question to PyTorch and to NumPy."""

import math
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F


def outcome(source: str) -> Any:
    """Its value with dtype and shape, or the error; statements may stand before a last line."""
    names = {"math": math, "torch": torch, "Tensor": Tensor, "nn": nn, "F": F}
    *before, last = source.strip().splitlines()
    torch.manual_seed(0)
    try:
        exec("\n".join(before), names)
        return plain(eval(last, names))
    except Exception as error:
        return [type(error).__name__, str(error)]


def plain(value: Any) -> Any:
    if isinstance(value, Tensor):
        name = str(value.dtype).removeprefix("torch.")
        if value.is_complex():
            return [name, plain(torch.view_as_real(value.detach()))]
        return [name, list(value.shape), value.detach().tolist()]
    if isinstance(value, tuple | list):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    return value if isinstance(value, int | float | str | None) else str(value)


def alike(got: Any, want: Any) -> bool:
    """Whether two are the same; floats as far as float32 has digits."""
    if isinstance(want, list):
        return isinstance(got, list) and len(got) == len(want) and all(map(alike, got, want))
    if isinstance(want, float):
        return math.isclose(got, want, rel_tol=1e-4, abs_tol=1e-5)
    return got == want
