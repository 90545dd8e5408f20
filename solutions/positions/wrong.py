"""Wrong answers to chapter 6, as people write them: its check must fail each.

Most are written from the docstrings alone, not from the list of mistakes.
"""

import math

import torch
from torch import nn

from autograder.checking.samples import wrong


@wrong("sinusoidal_positions", about="positions count from 1")
def _(length, embed_dim):
    pos = torch.arange(1, length + 1, dtype=torch.float32)[:, None]
    freq = 10000 ** (-torch.arange(0, embed_dim, 2) / embed_dim)
    pe = torch.zeros(length, embed_dim)
    pe[:, 0::2] = torch.sin(pos * freq)
    pe[:, 1::2] = torch.cos(pos * freq)[:, : embed_dim // 2]
    return pe


@wrong("sinusoidal_positions", about="all sines first, then all cosines")
def _(length, embed_dim):
    position = torch.arange(length).unsqueeze(1)
    div = torch.exp(torch.arange(0, embed_dim, 2) * (-math.log(10000.0) / embed_dim))
    angles = position * div
    return torch.cat([angles.sin(), angles.cos()], dim=1)[:, :embed_dim]


@wrong("sinusoidal_positions", about="an odd embed_dim is not thought of")
def _(length, embed_dim):
    pe = torch.zeros(length, embed_dim)
    position = torch.arange(0, length).float().unsqueeze(1)
    div_term = torch.exp(torch.arange(0, embed_dim, 2).float() * -(math.log(1e4) / embed_dim))
    pe[:, 0::2] = torch.sin(position * div_term)
    pe[:, 1::2] = torch.cos(position * div_term)
    return pe


@wrong("sinusoidal_positions", about="each column has a frequency of its own")
def _(length, embed_dim):
    table = torch.empty(length, embed_dim)
    for pos in range(length):
        for j in range(embed_dim):
            angle = pos / 10000 ** (j / embed_dim)
            table[pos, j] = math.sin(angle) if j % 2 == 0 else math.cos(angle)
    return table


@wrong("sinusoidal_positions", about="the exponent has i in place of 2i")
def _(length, embed_dim):
    table = torch.empty(length, embed_dim)
    for pos in range(length):
        for j in range(embed_dim):
            angle = pos / 10000 ** ((j // 2) / embed_dim)
            table[pos, j] = math.cos(angle) if j % 2 else math.sin(angle)
    return table


@wrong("sinusoidal_positions", about="cosine in the even columns, sine in the odd ones")
def _(length, embed_dim):
    rate = torch.pow(10000.0, -2 * torch.div(torch.arange(embed_dim), 2).floor() / embed_dim)
    angles = torch.outer(torch.arange(length).float(), rate)
    even = torch.arange(embed_dim) % 2 == 0
    return torch.where(even, angles.cos(), angles.sin())


@wrong(
    "sinusoidal_positions",
    about=("positions count from 1", "all sines first, then all cosines"),
)
def _(length, embed_dim):
    p = torch.arange(length).float() + 1
    w = 1.0 / 10000 ** (torch.arange(0, embed_dim, 2).float() / embed_dim)
    a = torch.einsum("p,w->pw", p, w)
    return torch.hstack((torch.sin(a), torch.cos(a)))[:, :embed_dim]


@wrong("shift_matrix", about="turns the other way (the transposed matrix)")
def _(offset, embed_dim):
    if embed_dim % 2:
        raise ValueError("embed_dim must be even")
    m = torch.zeros(embed_dim, embed_dim)
    for i in range(0, embed_dim, 2):
        w = offset / 10000 ** (i / embed_dim)
        m[i, i] = math.cos(w)
        m[i, i + 1] = -math.sin(w)
        m[i + 1, i] = math.sin(w)
        m[i + 1, i + 1] = math.cos(w)
    return m


@wrong("shift_matrix", about="an odd embed_dim is not refused")
def _(offset, embed_dim):
    blocks = []
    for i in range(embed_dim // 2):
        a = torch.tensor(offset / 10000 ** (2 * i / embed_dim))
        blocks.append(torch.stack([a.cos(), a.sin(), -a.sin(), a.cos()]).reshape(2, 2))
    return torch.block_diag(*blocks).float()


@wrong("shift_matrix", about="the sign of the offset is lost")
def _(offset, embed_dim):
    if embed_dim % 2 == 1:
        raise ValueError("odd embed_dim")
    freq = 10000.0 ** (-torch.arange(0, embed_dim, 2) / embed_dim)
    angle = abs(offset) * freq
    m = torch.zeros(embed_dim, embed_dim)
    even = torch.arange(0, embed_dim, 2)
    m[even, even] = angle.cos()
    m[even + 1, even + 1] = angle.cos()
    m[even, even + 1] = angle.sin()
    m[even + 1, even] = -angle.sin()
    return m


@wrong("shift_matrix", about="one angle for all pairs")
def _(offset, embed_dim):
    if embed_dim % 2 != 0:
        raise ValueError("embed_dim is odd")
    c, s = math.cos(offset), math.sin(offset)
    block = torch.tensor([[c, s], [-s, c]])
    return torch.kron(torch.eye(embed_dim // 2), block)


@wrong("shift_matrix", about="the pairs are half of the vector apart")
def _(offset, embed_dim):
    if embed_dim % 2:
        raise ValueError("embed_dim has to be even")
    half = embed_dim // 2
    angle = offset * 10000.0 ** (-2 * torch.arange(half) / embed_dim)
    cos, sin = torch.diag(angle.cos()), torch.diag(angle.sin())
    return torch.cat([torch.cat([cos, sin], 1), torch.cat([-sin, cos], 1)], 0)


@wrong("shift_matrix", about=("turns the other way", "an odd embed_dim is not refused"))
def _(offset, embed_dim):
    m = torch.eye(embed_dim)
    for i in range(embed_dim // 2):
        theta = offset * 10000 ** (-2 * i / embed_dim)
        m[2 * i, 2 * i] = m[2 * i + 1, 2 * i + 1] = math.cos(theta)
        m[2 * i, 2 * i + 1] = -math.sin(theta)
        m[2 * i + 1, 2 * i] = math.sin(theta)
    return m


@wrong("LearnedPositions", about="the vectors are no parameter, nothing learns them")
class _(nn.Module):
    def __init__(self, max_length, embed_dim):
        super().__init__()
        self.max_length = max_length
        self.register_buffer("table", torch.randn(max_length, embed_dim))

    def forward(self, x):
        if x.shape[1] > self.max_length:
            raise ValueError(f"{x.shape[1]} positions, at most {self.max_length}")
        return x + self.table[: x.shape[1]]


@wrong("LearnedPositions", about="a longer input raises an IndexError of torch")
class _(nn.Module):
    def __init__(self, max_length, embed_dim):
        super().__init__()
        self.embedding = nn.Embedding(max_length, embed_dim)

    def forward(self, x):
        positions = torch.arange(x.size(1))
        return x + self.embedding(positions)


@wrong("LearnedPositions", about="the last positions for a short input")
class _(nn.Module):
    def __init__(self, max_length, embed_dim):
        super().__init__()
        self.pos = nn.Parameter(torch.randn(max_length, embed_dim) * 0.02)

    def forward(self, x):
        length = x.shape[-2]
        if length > len(self.pos):
            raise ValueError(f"length {length} > max_length {len(self.pos)}")
        return x + self.pos[-length:]


@wrong("LearnedPositions", about="returns the positions without x")
class _(nn.Module):
    def __init__(self, max_length, embed_dim):
        super().__init__()
        self.max_length = max_length
        self.emb = nn.Embedding(max_length, embed_dim)

    def forward(self, x):
        B, L, _ = x.shape
        if self.max_length < L:
            raise ValueError(f"L={L} is more than max_length={self.max_length}")
        return self.emb(torch.arange(L).expand(B, L))


@wrong("LearnedPositions", about="adds in place to x")
class _(nn.Module):
    def __init__(self, max_length, embed_dim):
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(1, max_length, embed_dim).normal_())

    def forward(self, x):
        if x.shape[1] > self.weight.shape[1]:
            raise ValueError(f"{x.shape[1]} > {self.weight.shape[1]}")
        x += self.weight[:, : x.shape[1]]
        return x


@wrong("LearnedPositions", about="refuses an input of the largest length as well")
class _(nn.Module):
    def __init__(self, max_length, embed_dim):
        super().__init__()
        self.max_length = max_length
        self.positions = nn.Parameter(torch.randn(max_length, embed_dim))

    def forward(self, x):
        L = x.shape[1]
        if self.max_length <= L:
            raise ValueError(f"sequence of {L}, max_length {self.max_length}")
        return x + self.positions[None, :L]


@wrong(
    "LearnedPositions",
    about=("the vectors are no parameter", "the error names no lengths"),
)
class _(nn.Module):
    def __init__(self, max_length, embed_dim):
        super().__init__()
        self.vectors = torch.randn(max_length, embed_dim)

    def forward(self, x):
        if x.shape[1] > self.vectors.shape[0]:
            raise ValueError("the sequence is too long")
        return x + self.vectors[: x.shape[1]].to(x.dtype)


@wrong("rotate_positions", about="turns clockwise")
def _(x, base=10000.0, start=0):
    L, D = x.shape[-2:]
    if D % 2:
        raise ValueError("D must be even")
    theta = base ** (-torch.arange(0, D, 2, dtype=x.dtype) / D)
    angle = (start + torch.arange(L, dtype=x.dtype))[:, None] * theta
    c, s = angle.cos(), angle.sin()
    a, b = x[..., 0::2], x[..., 1::2]
    return torch.stack([a * c + b * s, b * c - a * s], dim=-1).flatten(-2)


@wrong("rotate_positions", about="pairs feature i with feature i + D / 2")
def _(x, base=10000.0, start=0):
    D = x.shape[-1]
    if D % 2 != 0:
        raise ValueError(f"odd D: {D}")
    half = D // 2
    inv = 1.0 / base ** (torch.arange(half, dtype=x.dtype) * 2 / D)
    angle = torch.outer(start + torch.arange(x.shape[-2], dtype=x.dtype), inv)
    cos = torch.cat([angle.cos()] * 2, dim=-1)
    sin = torch.cat([angle.sin()] * 2, dim=-1)
    turned = torch.cat([-x[..., half:], x[..., :half]], dim=-1)
    return x * cos + turned * sin


@wrong("rotate_positions", about="positions count from 1")
def _(x, base=10000.0, start=0):
    n, d = x.size(-2), x.size(-1)
    if d % 2:
        raise ValueError("odd number of features")
    pos = (start + torch.arange(1, n + 1, dtype=x.dtype)).unsqueeze(-1)
    ang = pos / base ** (torch.arange(0, d, 2, dtype=x.dtype) / d)
    even, odd = x[..., ::2], x[..., 1::2]
    out = torch.empty_like(x)
    out[..., ::2] = even * ang.cos() - odd * ang.sin()
    out[..., 1::2] = even * ang.sin() + odd * ang.cos()
    return out


@wrong("rotate_positions", about="the position is always axis 1")
def _(x, base=10000.0, start=0):
    D = x.shape[-1]
    if D % 2 == 1:
        raise ValueError("D is odd")
    freqs = base ** (-2 * torch.arange(D // 2, dtype=x.dtype) / D)
    pos = start + torch.arange(x.shape[1], dtype=x.dtype)
    shape = [1, x.shape[1]] + [1] * (x.dim() - 3) + [D // 2]
    angle = torch.outer(pos, freqs).reshape(shape)
    p = x.reshape(*x.shape[:-1], D // 2, 2)
    u, v = p.unbind(-1)
    y = torch.stack((u * angle.cos() - v * angle.sin(), u * angle.sin() + v * angle.cos()), -1)
    return y.reshape(x.shape)


@wrong("rotate_positions", about="the angles are float32 for float64 too")
def _(x, base=10000.0, start=0):
    *_, L, D = x.shape
    if D % 2:
        raise ValueError("need an even D")
    w = torch.tensor([base ** (-2 * i / D) for i in range(D // 2)], dtype=torch.float32)
    t = (start + torch.arange(L)).float()[:, None] * w[None, :]
    cos, sin = torch.cos(t), torch.sin(t)
    x1, x2 = x[..., 0::2], x[..., 1::2]
    both = torch.stack([x1 * cos - x2 * sin, x1 * sin + x2 * cos], -1)
    return both.flatten(-2).to(x.dtype)


@wrong("rotate_positions", about="an odd D is not refused, its last feature stays")
def _(x, base=10000.0, start=0):
    L, D = x.shape[-2], x.shape[-1]
    parts = []
    pos = start + torch.arange(L, dtype=x.dtype)
    for i in range(D // 2):
        a = pos * base ** (-2 * i / D)
        u, v = x[..., 2 * i], x[..., 2 * i + 1]
        parts += [u * a.cos() - v * a.sin(), u * a.sin() + v * a.cos()]
    if D % 2:
        parts.append(x[..., -1])
    return torch.stack(parts, dim=-1)


@wrong("rotate_positions", about=("turns clockwise", "positions count from 1"))
def _(x, base=10000.0, start=0):
    L, D = x.shape[-2:]
    if D % 2:
        raise ValueError("D must be divisible by 2")
    rate = base ** (-torch.arange(0, D, 2, dtype=x.dtype) / D)
    t = (start + torch.arange(L, dtype=x.dtype) + 1)[:, None] * rate
    a, b = x.unflatten(-1, (-1, 2)).unbind(-1)
    a, b = a * t.cos() + b * t.sin(), -a * t.sin() + b * t.cos()
    return torch.stack([a, b], -1).flatten(-2)


@wrong("sinusoidal_positions", about="returns float64")
def _(length, embed_dim):
    columns = torch.arange(embed_dim)
    rates = 10000.0 ** (-(columns - columns % 2).double() / embed_dim)
    angles = torch.arange(length).double()[:, None] * rates
    return torch.where(columns % 2 == 0, angles.sin(), angles.cos())


@wrong("shift_matrix", about="takes single steps, a negative offset moves nothing")
def _(offset, embed_dim):
    if embed_dim % 2:
        raise ValueError("embed_dim must be even")
    one = torch.zeros(embed_dim, embed_dim, dtype=torch.float64)
    for i in range(0, embed_dim, 2):
        w = 10000 ** (-i / embed_dim)
        one[i : i + 2, i : i + 2] = torch.tensor(
            [[math.cos(w), math.sin(w)], [-math.sin(w), math.cos(w)]]
        )
    m = torch.eye(embed_dim, dtype=torch.float64)
    for _ in range(offset):
        m = one @ m
    return m.float()


@wrong("rotate_positions", about="the base is always 10000")
def _(x, base=10000.0, start=0):
    D = x.shape[-1]
    if D % 2:
        raise ValueError("D is odd")
    rates = torch.tensor([10000 ** (-2 * i / D) for i in range(D // 2)], dtype=x.dtype)
    angle = torch.einsum("l,d->ld", (start + torch.arange(x.shape[-2], dtype=x.dtype)), rates)
    a, b = x[..., 0::2], x[..., 1::2]
    pairs = torch.stack([a * angle.cos() - b * angle.sin(), a * angle.sin() + b * angle.cos()])
    return pairs.movedim(0, -1).flatten(-2)


@wrong("sinusoidal_positions", about="the frequencies grow instead of falling")
def _(length, embed_dim):
    pe = torch.zeros(length, embed_dim)
    for pos in range(length):
        for c in range(embed_dim):
            i = c // 2
            angle = pos * 10000 ** (2 * i / embed_dim)
            pe[pos, c] = math.sin(angle) if c % 2 == 0 else math.cos(angle)
    return pe


@wrong("shift_matrix", about="turns the other way")
def _(offset, embed_dim):
    if embed_dim % 2:
        raise ValueError("embed_dim must be even")
    M = torch.zeros(embed_dim, embed_dim)
    for i in range(0, embed_dim, 2):
        w = 10000 ** (-i / embed_dim)
        c, s = math.cos(w * offset), math.sin(w * offset)
        M[i : i + 2, i : i + 2] = torch.tensor([[c, -s], [s, c]])
    return M


@wrong("rotate_positions", about="the first half is paired with the second half")
def _(x, base=10000.0, start=0):
    L, D = x.shape[-2:]
    if D % 2:
        raise ValueError("D must be even")
    pos = torch.arange(start, start + L, dtype=x.dtype)
    angle = pos[:, None] * base ** (-torch.arange(0, D, 2, dtype=x.dtype) / D)
    a, b = x[..., : D // 2], x[..., D // 2 :]
    cos, sin = angle.cos(), angle.sin()
    return torch.cat([a * cos - b * sin, a * sin + b * cos], dim=-1)


@wrong("rotate_positions", about=("`start` is not read", "turns clockwise"))
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


# Known mistakes made in alternatives: exercise -> (style, changes, the mistake's key).
PARTNER = "cosine times x plus sine times the partner"

RESTYLED = {
    "sinusoidal_positions": [
        (
            "loops",
            {"math.cos(angle) if column % 2": "math.cos(angle) if column % 2 == 0"},
            "swapped",
        ),
        (
            "loops",
            {"range(length)": "range(1, length + 1)"},
            "from-one",
        ),
        (
            "loops",
            {"2 * (column // 2) / embed_dim": "column / embed_dim"},
            "own-frequency",
        ),
        (
            "stack pairs, then cut",
            {
                "torch.stack([angle.sin(), angle.cos()], dim=-1).reshape(length, 2 * pairs)": (
                    "torch.cat([angle.sin(), angle.cos()], dim=-1)"
                )
            },
            "not-interleaved",
        ),
        ("a cosine is an early sine", {"10000.0": "1000.0"}, "base-thousand"),
    ],
    "shift_matrix": [
        (
            "block diagonal",
            {"[cos, sin]), torch.stack([-sin, cos])": "[cos, -sin]), torch.stack([sin, cos])"},
            "backward",
        ),
        ("block diagonal", {"-2 * pair": "-pair"}, "exponent-halved"),
        (
            "diagonals",
            {"- torch.diag(sine, -1)": "+ torch.diag(sine, -1)"},
            "same-sign",
        ),
        ("diagonals", {"offset / 10000": "abs(offset) / 10000"}, "sign-lost"),
        (
            "solved from the positions themselves",
            {"offset * speed": "offset"},
            "one-angle",
        ),
    ],
    "LearnedPositions": [
        (
            "a parameter",
            {"self.positions[None, : x.size(1)] + x": "self.positions[None, : x.size(1)] * x"},
            "multiplied",
        ),
        (
            "a parameter",
            {"self.positions[None, : x.size(1)]": "self.positions[: len(x), None]"},
            "along-batch",
        ),
        (
            "embedding of arange",
            {"torch.arange(L, device=x.device)": "torch.zeros(L, dtype=torch.long)"},
            "one-vector",
        ),
        (
            "embedding of arange",
            {"if self.max_length < L:": "if False:"},
            "index-error",
        ),
        (
            "one-hot positions through a linear layer",
            {"self.one_hot[:L]": "self.one_hot[longest - L :]"},
            "last-vectors",
        ),
    ],
    "rotate_positions": [
        (
            "complex numbers",
            {"torch.ones_like(angle), angle": "torch.ones_like(angle), -angle"},
            "clockwise",
        ),
        (
            "complex numbers",
            {"torch.arange(start, start + L)": "torch.arange(start + 1, start + L + 1)"},
            "from-one",
        ),
        (PARTNER, {"+ partner * torch.sin(angle)": ""}, "cosine-only"),
        (PARTNER, {"-x[..., 1::2]": "x[..., 1::2]"}, "both-plus"),
        (PARTNER, {"/ base": "* base"}, "exponent-sign"),
        ("a matrix for each pair", {"-2 * pair": "-pair"}, "exponent-halved"),
    ],
}


# Mutants of the references that compute the same, each with the reason.
EQUIVALENT = {
    (
        "LearnedPositions",
        "return x + self.table.weight[:L] => return x - self.table.weight[:L]",
    ): "The first values of the vectors are free and random, and so are their signs.",
}
