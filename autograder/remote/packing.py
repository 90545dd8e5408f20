"""Messages with NumPy's arrays in the place of tensors, which can be pickled and read anywhere.

The wire's own format is PyTorch's; what is kept for the page is pickled by the build alone.
"""

from typing import Any

import torch
from torch import Tensor

from autograder.remote.values import Ref

KINDS = {"tuple": tuple, "list": list}


def packed(value: Any) -> Any:
    """Messages without anything of PyTorch's: each value that is not plain has a tag."""
    if isinstance(value, Tensor):
        name = str(value.dtype).removeprefix("torch.")
        plain = value.detach()
        return "tensor", (plain.float() if name == "bfloat16" else plain).numpy(), name
    if isinstance(value, torch.dtype):
        return "dtype", str(value).removeprefix("torch.")
    if isinstance(value, Ref):
        return "ref", value.number
    if isinstance(value, tuple | list):
        return type(value).__name__, [packed(item) for item in value]
    if isinstance(value, dict):
        return "dict", {key: packed(item) for key, item in value.items()}
    return value


def unpacked(value: Any) -> Any:
    """The messages again, with the tensors of whatever `torch` is here."""
    if not isinstance(value, tuple):
        return value
    tag, content, *name = value
    if tag == "tensor":
        return torch.tensor(content, dtype=getattr(torch, name[0], torch.float32))
    if tag == "dtype":
        return getattr(torch, content)
    if tag == "ref":
        return Ref(content)
    if tag == "dict":
        return {key: unpacked(item) for key, item in content.items()}
    return KINDS[tag](unpacked(item) for item in content)
