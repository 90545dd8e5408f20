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
        return [name, list(value.shape), numbers(value.detach().tolist())]
    if isinstance(value, tuple | list):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    return numbers(value) if isinstance(value, int | float | str | None) else str(value)


def numbers(value: Any) -> Any:
    """Six digits of each: float32 has no more."""
    if isinstance(value, list):
        return [numbers(item) for item in value]
    if isinstance(value, float):
        return f"{value + 0.0:.5g}"
    return value
