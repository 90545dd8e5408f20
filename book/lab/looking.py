"""Where models may look, and where some of their heads look before any training."""

import torch
from torch import nn

SHARPNESS = 2.8  # times this in query and key, most of a head's weight falls on its place


def visible(length: int, ahead: int = 0) -> torch.Tensor:
    """Who may attend to whom, (L, L), True where it may: what stands before, itself, `ahead` more.

    Chapter 8 compares two models by it before its exercise asks for a mask.
    """
    return torch.ones(length, length, dtype=torch.bool).tril(ahead)


@torch.no_grad()
def look_nearby(model: nn.Module) -> None:
    """Let 12 of the 24 heads begin by looking at places a fixed way off, four in each of 3 layers.

    `model` is a `Transformer` with four heads and two blocks. Chapter 6's matrix moves a sinusoidal
    position by k places. A head whose W_q is a part of that matrix, and whose W_k picks the same
    waves unmoved, has its largest score where the key stands k places after the query. Training may
    undo all of it.

    Trockman and Kolter 2023, Mimetic Initialization of Self-Attention Layers, set W_q and W_k
    before training as well, to a product near the identity. Fixed distances, and which they are,
    are this course's own: seven symbols back, for one, is the same digit of the date before.
    """
    _look(model.encoder.layers[0].self_attn, [-1, 1, -2, 2], first_wave=0)
    _look(model.encoder.layers[1].self_attn, [-3, 3, -50, 50], first_wave=16)
    _look(model.decoder[0].self_attn, [-1, -2, -3, -7], first_wave=0)


def _look(layer: nn.Module, offsets: list[int], first_wave: int) -> None:
    """Head h looks `offsets[h]` places off, by as many waves from `first_wave` on as it has."""
    E = layer.W_q.in_features
    D = E // len(offsets)
    waves = slice(first_wave, first_wave + D)
    for head, offset in enumerate(offsets):
        rows = slice(head * D, (head + 1) * D)  # this head's part of W_q and W_k
        layer.W_q.weight[rows] = SHARPNESS * _shift(offset, E)[waves]
        layer.W_k.weight[rows] = SHARPNESS * torch.eye(E)[waves]


def _shift(offset: int, embed_dim: int) -> torch.Tensor:
    """The matrix M with M PE(pos) = PE(pos + offset), as chapter 6's exercise has it."""
    frequencies = 10000.0 ** (-torch.arange(0, embed_dim, 2) / embed_dim)  # (E / 2)
    cosines, sines = torch.cos(offset * frequencies), torch.sin(offset * frequencies)
    matrix = torch.zeros(embed_dim, embed_dim)
    even = torch.arange(0, embed_dim, 2)
    matrix[even, even] = matrix[even + 1, even + 1] = cosines
    matrix[even, even + 1], matrix[even + 1, even] = sines, -sines
    return matrix
