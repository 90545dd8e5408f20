"""Trained models as small files that the page can run: float16 numbers, and a JSON of their sizes.

A large model's matrices are whole numbers of eight bits, each group of them with a factor: half the
bytes that a reader waits for, and what it says hardly changes.

Beside them are looks, a few numbers of what a trained model does with one text or picture: a
chapter's first figure shows them before anything is trained.

A chapter writes its model and its look when `make notebooks` runs it, and at no other time: a
student's run, or a test's with a few steps, leaves the files as they are.
"""

import json
import math
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

KEEP = "ATTENTION_COURSE_KEEP"
LARGE = 100_000  # numbers
GROUP = 32  # of a large model's numbers, with one factor
SCALE = ".scale"  # of a matrix: its factors
FOLDER = Path(__file__).resolve().parents[1] / "_static" / "models"
LOOKS = Path(__file__).resolve().parent / "looks"
DIGITS = 2  # of a look's numbers: more would differ from processor to processor


def keep(
    name: str, model: nn.Module, example: Tensor | tuple[Tensor, Tensor], **about: Any
) -> None:
    """Write NAME.safetensors and NAME.json, where the environment has ATTENTION_COURSE_KEEP.

    The numbers are the model's parameters in float16, under their own names; of a large model, the
    matrices are rounded (`in_eight_bits`). The JSON has what is
    in `about`, the parameters' shapes, and an `example`: tokens (L) and the logits (V) that the
    model gives after them, in float32, to compare with. A model of images gives logits (V) for an
    image (C, height, width), and its example has the `image`. A translator gives logits for two:
    source tokens (S) and `previous` ones (L), the target so far.
    """
    if not os.environ.get(KEEP):
        return
    from safetensors.torch import save_file

    FOLDER.mkdir(parents=True, exist_ok=True)
    numbers = {key: tensor.detach().half() for key, tensor in model.state_dict().items()}
    path = FOLDER / f"{name}.safetensors"
    save_file(small(numbers), path)
    path.chmod(0o644)  # it is published, and save_file lets its owner alone read it
    given = example if isinstance(example, tuple) else (example,)
    names = ("image" if given[0].is_floating_point() else "tokens", "previous")
    with torch.no_grad():
        logits = model(*(one[None] for one in given))[0]  # (L, V) for tokens, (V) for an image
    whole = about | {
        "parameters": {key: list(tensor.shape) for key, tensor in numbers.items()},
        "example": {
            **{name: one.tolist() for name, one in zip(names, given, strict=False)},
            "logits": [
                round(logit, 4) for logit in logits.reshape(-1, logits.shape[-1])[-1].tolist()
            ],
        },
    }
    (FOLDER / f"{name}.json").write_text(json.dumps(whole, indent=1) + "\n", encoding="utf-8")


def small(numbers: dict[str, Tensor]) -> dict[str, Tensor]:
    """A model's numbers as they are kept."""
    if sum(tensor.numel() for tensor in numbers.values()) < LARGE:
        return numbers
    kept = {}
    for name, tensor in numbers.items():
        if tensor.ndim == 2 and tensor.shape[1] % GROUP == 0:
            kept[name], kept[f"{name}{SCALE}"] = in_eight_bits(tensor.float(), GROUP)
        else:
            kept[name] = tensor
    return kept


def in_eight_bits(matrix: Tensor, group: int) -> tuple[Tensor, Tensor]:
    """A matrix as whole numbers of eight bits, and the factor (rows, groups) of each group."""
    numbers = matrix.view(len(matrix), -1, group)
    scale = (numbers.abs().amax(dim=-1) / 127).clamp(min=1e-7).half()
    rounded = (numbers / scale.float()[:, :, None]).round().clamp(-127, 127)
    return rounded.char().view_as(matrix), scale


def stored(name: str) -> tuple[dict[str, Tensor], dict[str, Any]]:
    """What `keep` wrote: the numbers, in float32, and the JSON."""
    from safetensors.torch import load_file

    kept = {key: one.float() for key, one in load_file(FOLDER / f"{name}.safetensors").items()}
    about = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    numbers = {}
    for key, tensor in kept.items():
        if key.endswith(SCALE):
            continue
        scale = kept.get(f"{key}{SCALE}")
        if scale is not None:
            tensor = (tensor.view(*scale.shape, -1) * scale[:, :, None]).view_as(tensor)
        numbers[key] = tensor
    return numbers, about


def keep_look(name: str, **numbers: Any) -> None:
    """Write a look as looks/NAME.json, where the environment has ATTENTION_COURSE_KEEP.

    Tensors become lists of numbers with two digits; minus infinity, which JSON lacks, becomes null.
    """
    if not os.environ.get(KEEP):
        return
    LOOKS.mkdir(exist_ok=True)
    lines = (f'"{key}": {_on_lines(_listed(one))}' for key, one in numbers.items())
    (LOOKS / f"{name}.json").write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def look(name: str) -> dict[str, Any]:
    """What `keep_look` wrote."""
    return json.loads((LOOKS / f"{name}.json").read_text(encoding="utf-8"))


def _listed(one: Any) -> Any:
    """Tensors as lists, wherever they stand."""
    if isinstance(one, Mapping):
        return {key: _listed(part) for key, part in one.items()}
    if isinstance(one, Tensor):
        one = one.tolist()
    if isinstance(one, list | tuple):
        return [_listed(part) for part in one]
    if isinstance(one, float):
        return None if one == -math.inf else round(one, DIGITS) + 0.0
    return one


def _on_lines(one: Any) -> str:
    """JSON with a line for each row of a table."""
    if isinstance(one, list) and any(isinstance(row, list) for row in one):
        return "[\n" + ",\n".join(json.dumps(row) for row in one) + "\n]"
    if isinstance(one, dict) and any(isinstance(table, list) for table in one.values()):
        parts = (f"{json.dumps(key)}: {_on_lines(table)}" for key, table in one.items())
        return "{" + ", ".join(parts) + "}"
    return json.dumps(one, ensure_ascii=False)
