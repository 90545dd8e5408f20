"""Chapter 6 in other styles."""

import math

import torch
from torch import nn

from autograder.checking.samples import alternative


@alternative("sinusoidal_positions", "two strided assignments")
def _(length, embed_dim):
    table = torch.zeros(length, embed_dim)
    position = torch.arange(length).unsqueeze(1)
    slower = torch.exp(torch.arange(0, embed_dim, 2) * (-math.log(10000.0) / embed_dim))
    table[:, 0::2] = torch.sin(position * slower)
    table[:, 1::2] = torch.cos(position * slower)[:, : embed_dim // 2]
    return table


@alternative("sinusoidal_positions", "loops")
def _(length, embed_dim):
    rows = []
    for position in range(length):
        row = []
        for column in range(embed_dim):
            angle = position / 10000 ** (2 * (column // 2) / embed_dim)
            row.append(math.cos(angle) if column % 2 else math.sin(angle))
        rows.append(row)
    return torch.tensor(rows)


@alternative("sinusoidal_positions", "stack pairs, then cut")
def _(length, embed_dim):
    pairs = (embed_dim + 1) // 2
    angle = torch.arange(length)[:, None] / 10000 ** (2 * torch.arange(pairs) / embed_dim)
    table = torch.stack([angle.sin(), angle.cos()], dim=-1).reshape(length, 2 * pairs)
    return table[:, :embed_dim]


@alternative("sinusoidal_positions", "a cosine is an early sine")
def _(length, embed_dim):
    column = torch.arange(embed_dim)
    angle = torch.arange(length)[:, None] * 10000.0 ** (-2 * (column // 2) / embed_dim)
    return torch.sin(angle + (column % 2) * (math.pi / 2))


@alternative("shift_matrix", "block diagonal")
def _(offset, embed_dim):
    if embed_dim % 2 != 0:
        raise ValueError("an even embed_dim is needed")
    blocks = []
    for pair in range(embed_dim // 2):
        angle = torch.tensor(offset * 10000 ** (-2 * pair / embed_dim))
        cos, sin = torch.cos(angle), torch.sin(angle)
        blocks.append(torch.stack([torch.stack([cos, sin]), torch.stack([-sin, cos])]))
    return torch.block_diag(*blocks)


@alternative("shift_matrix", "diagonals")
def _(offset, embed_dim):
    if embed_dim & 1:
        raise ValueError(f"embed_dim {embed_dim} is odd")
    angle = offset / 10000 ** (torch.arange(0, embed_dim, 2) / embed_dim)
    sine = torch.stack([angle.sin(), torch.zeros_like(angle)], dim=-1).flatten()[:-1]
    return torch.diag(angle.cos().repeat_interleave(2)) + torch.diag(sine, 1) - torch.diag(sine, -1)


@alternative("shift_matrix", "solved from the positions themselves")
def _(offset, embed_dim):
    if embed_dim % 2 == 1:
        raise ValueError(f"embed_dim must be even, not {embed_dim}")
    matrix = torch.zeros(embed_dim, embed_dim, dtype=torch.float64)
    for first in range(0, embed_dim, 2):
        speed = 10000 ** (-first / embed_dim)
        # At the positions 0 and a quarter turn the pair is (0, 1) and (1, 0).
        angles = torch.tensor([math.pi / 2, 0.0], dtype=torch.float64) + offset * speed
        matrix[first : first + 2, first : first + 2] = torch.stack([angles.sin(), angles.cos()])
    return matrix.float()


@alternative("LearnedPositions", "a parameter")
class _(nn.Module):
    def __init__(self, max_length, embed_dim):
        super().__init__()
        self.positions = nn.Parameter(torch.zeros(max_length, embed_dim))

    def forward(self, x):
        if x.size(1) > len(self.positions):
            raise ValueError(f"{x.size(1)} positions, but at most {len(self.positions)}")
        return self.positions[None, : x.size(1)] + x


@alternative("LearnedPositions", "embedding of arange")
class _(nn.Module):
    def __init__(self, max_length, embed_dim):
        super().__init__()
        self.max_length = max_length
        self.embedding = nn.Embedding(num_embeddings=max_length, embedding_dim=embed_dim)

    def forward(self, x):
        B, L, E = x.shape
        if self.max_length < L:
            raise ValueError(f"max_length is {self.max_length}, x has {L}")
        return x + self.embedding(torch.arange(L, device=x.device)).expand(B, L, E)


@alternative("LearnedPositions", "one-hot positions through a linear layer")
class _(nn.Module):
    def __init__(self, max_length, embed_dim):
        super().__init__()
        self.linear = nn.Linear(max_length, embed_dim, bias=False)
        self.register_buffer("one_hot", torch.eye(max_length), persistent=False)

    def forward(self, x):
        L, longest = x.shape[-2], len(self.one_hot)
        if longest < L:
            raise ValueError(f"length {L} > {longest}")
        return x + self.linear(self.one_hot[:L])


@alternative("rotate_positions", "complex numbers")
def _(x, base=10000.0, start=0):
    L, D = x.shape[-2:]
    if D % 2 == 1:
        raise ValueError(f"D = {D} is odd")
    pairs = torch.view_as_complex(x.reshape(*x.shape[:-1], D // 2, 2).contiguous())
    speed = base ** (-torch.arange(0, D, 2).to(x) / D)
    angle = torch.arange(start, start + L).to(x)[:, None] * speed
    turned = pairs * torch.polar(torch.ones_like(angle), angle)
    return torch.view_as_real(turned).reshape(x.shape)


@alternative("rotate_positions", "cosine times x plus sine times the partner")
def _(x, base=10000.0, start=0):
    D = x.shape[-1]
    if D % 2 != 0:
        raise ValueError("the features must come in pairs")
    column = torch.arange(D) // 2 * 2
    position = start + torch.arange(x.shape[-2]).to(x)
    angle = position[:, None] / base ** (column.to(x) / D)
    partner = torch.stack([-x[..., 1::2], x[..., ::2]], dim=-1).reshape(x.shape)
    return x * torch.cos(angle) + partner * torch.sin(angle)


@alternative("rotate_positions", "a matrix for each pair")
def _(x, base=10000.0, start=0):
    L, D = x.size(-2), x.size(-1)
    if D % 2:
        raise ValueError(f"{D} features cannot be paired")
    result = torch.empty_like(x)
    for pair in range(D // 2):
        angle = (start + torch.arange(L, dtype=torch.float64)) * base ** (-2 * pair / D)
        rows = [torch.stack([angle.cos(), -angle.sin()]), torch.stack([angle.sin(), angle.cos()])]
        turn = torch.stack(rows).to(x.dtype)
        columns = slice(2 * pair, 2 * pair + 2)
        result[..., columns] = torch.einsum("abl,...lb->...la", turn, x[..., columns])
    return result


@alternative("sinusoidal_positions", "from the docstring")
def _(length, embed_dim):
    pos = torch.arange(length, dtype=torch.float64)[:, None]
    column = torch.arange(embed_dim)
    rate = 10000.0 ** (-(column // 2 * 2).double() / embed_dim)
    angle = pos * rate
    return torch.where(column % 2 == 0, angle.sin(), angle.cos()).float()


@alternative("shift_matrix", "from the docstring")
def _(offset, embed_dim):
    if embed_dim % 2:
        raise ValueError("odd")
    M = torch.zeros(embed_dim, embed_dim, dtype=torch.float64)
    for i in range(0, embed_dim, 2):
        a = offset * 10000.0 ** (-i / embed_dim)
        M[i, i], M[i, i + 1] = math.cos(a), math.sin(a)
        M[i + 1, i], M[i + 1, i + 1] = -math.sin(a), math.cos(a)
    return M.float()


@alternative("LearnedPositions", "from the docstring")
class _(nn.Module):
    def __init__(self, max_length, embed_dim):
        super().__init__()
        self.table = nn.Parameter(torch.randn(max_length, embed_dim))

    def forward(self, x):
        L = x.shape[1]
        if len(self.table) < L:
            raise ValueError(f"length {L} is larger than max_length {len(self.table)}")
        return x + self.table[:L]


@alternative("rotate_positions", "from the docstring")
def _(x, base=10000.0, start=0):
    L, D = x.shape[-2:]
    if D % 2:
        raise ValueError("odd")
    pos = torch.arange(start, start + L, dtype=torch.float64, device=x.device)[:, None]
    rate = base ** (-torch.arange(0, D, 2, dtype=torch.float64, device=x.device) / D)
    angle = (pos * rate).to(x.dtype)
    c, s = angle.cos(), angle.sin()
    a, b = x[..., 0::2], x[..., 1::2]
    return torch.stack([a * c - b * s, a * s + b * c], dim=-1).flatten(-2)
