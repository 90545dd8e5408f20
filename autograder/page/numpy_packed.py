"""Sequences of several lengths as one, which pyborch lacks: packed, run through a layer, padded.

A layer runs each of them by itself: what PyTorch does for speed all at once gives the same numbers.
"""

import functools
from collections.abc import Callable, Sequence
from typing import Any

import borch
from borch import Tensor, nn


class PackedSequence:
    """The sequences, each (its length, features), in the order in which they came."""

    def __init__(self, rows: Sequence[Tensor]) -> None:
        self.rows = list(rows)


def pack_padded_sequence(
    input: Tensor, lengths: Any, batch_first: bool = False, enforce_sorted: bool = True
) -> PackedSequence:
    """Leave the padding out."""
    counts = [int(one) for one in lengths]
    if enforce_sorted and counts != sorted(counts, reverse=True):
        raise RuntimeError(
            "`lengths` array must be sorted in decreasing order when `enforce_sorted` is True. You "
            "can pass `enforce_sorted=False` to pack_padded_sequence and/or pack_sequence to "
            "sidestep this requirement if you do not need ONNX exportability."
        )
    if min(counts) <= 0:
        raise RuntimeError(
            "Length of all samples has to be greater than 0, but found an element in 'lengths' "
            "that is <= 0"
        )
    rows = input if batch_first else input.transpose(0, 1)
    return PackedSequence([rows[place, :count] for place, count in enumerate(counts)])


def pad_packed_sequence(
    sequence: PackedSequence,
    batch_first: bool = False,
    padding_value: float = 0.0,
    total_length: int | None = None,
) -> tuple[Tensor, Tensor]:
    """Put padding behind each of them, to one length, and say how long they are."""
    counts = [row.shape[0] for row in sequence.rows]
    length = max(counts) if total_length is None else total_length
    if length < max(counts):
        raise ValueError(
            "Expected total_length to be at least the length of the longest sequence in input, but "
            f"got total_length={total_length} and max sequence length being {max(counts)}"
        )
    padded = borch.stack(
        [
            nn.functional.pad(row, (0, 0, 0, length - count), value=padding_value)
            for row, count in zip(sequence.rows, counts, strict=True)
        ]
    )
    return padded if batch_first else padded.transpose(0, 1), borch.tensor(counts)


def recurrent(forward: Callable) -> Callable:
    """The forward pass of a recurrent layer, which takes packed sequences too.

    It begins with zeros of its input's dtype.
    """

    @functools.wraps(forward)
    def called(self: nn.Module, input: Any, hx: Any = None) -> Any:
        if not isinstance(input, PackedSequence):
            return forward(self, input, _zeros(self, input) if hx is None else hx)
        outputs, states = [], []
        for place, row in enumerate(input.rows):
            one = row[None] if self.batch_first else row[:, None]
            output, state = called(self, one, _of_one(hx, place))
            outputs.append(output[0] if self.batch_first else output[:, 0])
            states.append(state)
        return PackedSequence(outputs), _of_all(states)

    return called


def _zeros(layer: nn.Module, input: Tensor) -> Any:
    rows = layer.num_layers * (2 if layer.bidirectional else 1)
    batch = input.shape[0 if layer.batch_first else 1]
    sizes = [layer.hidden_size]
    if isinstance(layer, nn.LSTM):
        sizes = [layer.proj_size or layer.hidden_size, layer.hidden_size]
    made = [borch.zeros(rows, batch, size, dtype=input.dtype) for size in sizes]
    return tuple(made) if len(made) > 1 else made[0]


def _of_one(state: Any, place: int) -> Any:
    if isinstance(state, tuple):
        return tuple(_of_one(part, place) for part in state)
    return None if state is None else state[:, place : place + 1]


def _of_all(states: list[Any]) -> Any:
    if isinstance(states[0], tuple):
        return tuple(map(_of_all, map(list, zip(*states, strict=True))))
    return borch.cat(states, 1)
