"""Of `solutions/positions.py`."""

import math

import torch

from tests.exercises.variants import variant


@variant("sinusoidal_positions", about="the frequencies grow instead of falling")
def _(length, embed_dim):
    pe = torch.zeros(length, embed_dim)
    for pos in range(length):
        for c in range(embed_dim):
            i = c // 2
            angle = pos * 10000 ** (2 * i / embed_dim)
            pe[pos, c] = math.sin(angle) if c % 2 == 0 else math.cos(angle)
    return pe


@variant("shift_matrix", about="turns the other way")
def _(offset, embed_dim):
    if embed_dim % 2:
        raise ValueError("embed_dim must be even")
    M = torch.zeros(embed_dim, embed_dim)
    for i in range(0, embed_dim, 2):
        w = 10000 ** (-i / embed_dim)
        c, s = math.cos(w * offset), math.sin(w * offset)
        M[i : i + 2, i : i + 2] = torch.tensor([[c, -s], [s, c]])
    return M


@variant("rotate_positions", about="the first half is paired with the second half")
def _(x, base=10000.0, start=0):
    L, D = x.shape[-2:]
    if D % 2:
        raise ValueError("D must be even")
    pos = torch.arange(start, start + L, dtype=x.dtype)
    angle = pos[:, None] * base ** (-torch.arange(0, D, 2, dtype=x.dtype) / D)
    a, b = x[..., : D // 2], x[..., D // 2 :]
    cos, sin = angle.cos(), angle.sin()
    return torch.cat([a * cos - b * sin, a * sin + b * cos], dim=-1)


@variant("rotate_positions", about=("`start` is not read", "turns clockwise"))
def _(x, base=10000.0, start=0):
    L, D = x.shape[-2:]
    if D % 2 == 1:
        raise ValueError("D must be even")
    theta = torch.arange(L, dtype=x.dtype).unsqueeze(1) * torch.tensor(
        [base ** (-2 * i / D) for i in range(D // 2)], dtype=x.dtype
    )
    even, odd = x[..., 0::2], x[..., 1::2]
    new_even = even * theta.cos() + odd * theta.sin()
    new_odd = odd * theta.cos() - even * theta.sin()
    return torch.stack([new_even, new_odd], -1).flatten(-2)
