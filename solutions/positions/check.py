"""Checks for chapter 6, positions."""

import torch
from torch import Tensor

from autograder.checking import (
    Ask,
    agrees,
    by,
    close,
    exercise,
    misconceptions,
    prediction,
    raises,
    require,
)
from autograder.checking.cases import VALUES
from autograder.remote.calling import cotangent
from autograder.remote.subject import Raised


@exercise("sinusoidal_positions", chapter="06-positions", points=3)
def _(student, reference, draw):
    def case(text, length, embed_dim):
        agrees(student, reference, length, embed_dim, case=text, atol=5e-5)

    case("", 6, 8)
    case("many positions", 100, 8)
    case("one pair", 5, 2)
    case("an odd embed_dim", 6, 7)
    case("one column", 4, 1)
    case("a size drawn", draw.int(5, 40), 2 * draw.int(3, 20))
    case("one position", 1, 6)
    case("300 positions", 300, 4)


misconceptions["sinusoidal_positions"] = {
    "whole-pairs-only": (
        "Only whole pairs of columns are filled, so the last column of an odd embed_dim stays "
        "zero. It is the sine of a pair that has no cosine.",
        {
            "torch.where(column % 2 == 1, angle.cos(), angle.sin())": "(torch.where(column % 2 == "
            "1, angle.cos(), angle.sin()) * (column < embed_dim // 2 * 2))"
        },
    ),
    "not-interleaved": (
        "The sines and cosines are not interleaved: all sines come first, then all cosines. In the "
        "paper columns 2i and 2i + 1 are the sine and the cosine of one frequency.",
        by(
            {
                "table[:, 0::2]": "half = (embed_dim + 1) // 2\ntable[:, :half]",
                "table[:, 1::2]": "table[:, half:]",
            },
            style="two strided assignments",
        ),
        {
            "torch.where(column % 2 == 1, angle.cos(), angle.sin())": (
                "torch.cat([angle[:, ::2].sin(), angle[:, ::2].cos()], dim=-1)"
            ),
        },
    ),
    "swapped": (
        "Sine and cosine are swapped. Even columns should be sines and odd columns cosines: "
        "position 0 is 0, 1, 0, 1, ...",
        {"column % 2 == 1": "column % 2 == 0"},
    ),
    "own-frequency": (
        "Every column has a frequency of its own: the exponent is the column over embed_dim. A "
        "sine and its cosine are a pair of one frequency, 2i / embed_dim for both.",
        {"(column - column % 2)": "column"},
    ),
    "exponent-halved": (
        "The exponent counts the pairs by one: i / embed_dim. It is 2i / embed_dim, so that the "
        "frequencies reach from 1 nearly to 1 / 10000.",
        {"/ embed_dim": "/ 2 / embed_dim"},
    ),
    "exponent-doubled": (
        "The exponent is 4i / embed_dim, twice what it should be: the frequencies fall toward 1 / "
        "10000 squared. It is 2i / embed_dim.",
        {"/ embed_dim": "/ (embed_dim / 2)"},
    ),
    "multiplied": (
        "The position is multiplied by 10000^(2i / embed_dim), not divided by it. The waves should "
        "become slower from column to column.",
        {"-(column - column % 2)": "(column - column % 2)"},
    ),
    "from-one": (
        "The positions are counted from 1. The first row is position 0: 0, 1, 0, 1, ...",
        {"torch.arange(length)": "torch.arange(1, length + 1)"},
    ),
    "base-thousand": (
        "The base is 1000; the paper's is 10000.",
        {"10000": "1000"},
    ),
    "radians-twice": (
        "The angles were turned into radians once more. The position over the power of 10000 is in "
        "radians already.",
        {"/ embed_dim))": "/ embed_dim)).deg2rad()"},
    ),
    "all-sines": (
        "All columns are sines. A sine alone does not tell its position even within one turn, and "
        "only sine and cosine together can be shifted by a matrix.",
        {"angle.cos()": "angle.sin()"},
    ),
    "odd-fails": (
        "An odd embed_dim does not work: there is one cosine less than there are sines.",
        by(
            {"[:, : embed_dim // 2]": ""},
            style="two strided assignments",
        ),
    ),
    "odd-frequencies": (
        "With an odd embed_dim the frequencies are those of the next even number. The exponent is "
        "2i / embed_dim, whether it is odd or even.",
        {"/ embed_dim": "/ (embed_dim + embed_dim % 2)"},
    ),
    "float64": (
        "The table is float64. It has no input to follow, so it should be float32 like the "
        "embeddings it is added to.",
        {".float()": ""},
    ),
    "spread-to-the-end": (
        "The exponents are spread evenly from 0 to 1, the last pair included, as some "
        "libraries do. Here the exponent is 2i / embed_dim, which never reaches 1.",
        {
            "(column - column % 2) / embed_dim": "(column - column % 2) / max(embed_dim - 2, 1)",
        },
        {
            "(column - column % 2) / embed_dim": "(column - column % 2) / max(embed_dim + "
            "embed_dim % 2 - 2, 1)",
        },
    ),
    "transposed": (
        "The table lies the wrong way around: a row for each column. Row pos should be the "
        "vector of position pos.",
        {
            "angle.sin()).float()": "angle.sin()).float().T",
        },
    ),
    "share-of-length": (
        "The positions are divided by the length, or by one less, so that the same position gets "
        "another vector in a longer text. They are whole numbers: 0, 1, 2 and so on.",
        {
            "torch.arange(length).double()": "torch.arange(length).double() / length",
        },
        {"torch.arange(length).double()": "torch.linspace(0, 1, length).double()"},
    ),
    "turns": (
        "The positions are multiplied by 2 pi, as if they were turns. The angle is the "
        "position over the power of 10000, in radians.",
        {
            "torch.arange(length).double()": "torch.arange(length).double() * 2 * math.pi",
        },
    ),
    "all-cosines": (
        "All columns are cosines. Even columns are sines: position 0 is 0, 1, 0, 1, ...",
        {
            "angle.sin()": "angle.cos()",
        },
    ),
    "one-frequency": (
        "All pairs have the same frequency, as where `//` makes every exponent zero: the angle is "
        "the position itself. It is the position over 10000^(2i / embed_dim).",
        {
            "10000 ** (-(column - column % 2) / embed_dim)": "torch.ones_like(column)",
        },
    ),
    "alternating-by-position": (
        "Sine and cosine alternate from position to position. They alternate from column to "
        "column: even columns are sines at every position.",
        {
            "torch.where(column % 2 == 1,": "torch.where(position[:, None] % 2 == 1,",
        },
    ),
    "linear-frequencies": (
        "The position is divided by 10000 times the exponent. It is divided by 10000 to the "
        "power of it.",
        {
            "10000 ** (-(column - column % 2) / embed_dim)": "1 / (10000 * (column - column % "
            "2) / embed_dim).clamp(min=1)",
        },
    ),
}


@exercise("shift_matrix", chapter="06-positions", points=2, mend="backward")
def _(student, reference, draw):
    def case(text, offset, embed_dim):
        agrees(student, reference, offset, embed_dim, case=text)

    case("", 1, 8)
    case("one pair", 2, 2)
    case("a larger offset", draw.int(5, 50), 6)
    case("a negative offset", -draw.int(1, 20), 8)
    case("no offset", 0, 6)
    raises(student, ValueError, 1, 5, case="an odd embed_dim")
    for embed_dim in (1, 3):
        raises(student, ValueError, 1, embed_dim, case=f"embed_dim {embed_dim}")


misconceptions["shift_matrix"] = {
    "backward": (
        "The rotation goes the wrong way: the matrix is the transpose, which moves a position "
        "back by `offset`. The sine comes before the cosine in a pair, which turns the usual "
        "matrix around.",
        {"sine], [-sine": "-sine], [sine"},
    ),
    "same-sign": (
        "Both sines have the same sign. sin(a + b) has a plus between its two products, cos(a + "
        "b) a minus.",
        {"-sine": "sine"},
        {"sine], [-sine": "-sine], [-sine"},
    ),
    "halves": (
        "The pairs are taken from the two halves, column i and column i + embed_dim / 2. Here sine "
        "and cosine of a pair are neighbors.",
        {"slice(column, column + 2)": "slice(column // 2, None, embed_dim // 2)"},
    ),
    "one-angle": (
        "All pairs are turned by the same angle, as where `//` makes every exponent zero. Each "
        "pair has a frequency of its own, 1 / 10000^(2i / embed_dim), and its angle is offset "
        "times that.",
        {"offset / 10000 ** (column / embed_dim)": "offset"},
        {"column / embed_dim": "column // embed_dim"},
        {"(column / embed_dim)": "((embed_dim - 2) / embed_dim)"},
    ),
    "exponent-halved": (
        "The exponent counts the pairs by one: i / embed_dim. It is 2i / embed_dim, as in the "
        "positions themselves.",
        {"column / embed_dim": "column / 2 / embed_dim"},
    ),
    "multiplied-by-offset": (
        "The matrix is made for an offset of 1 and then multiplied by the offset. Turning twice is "
        "the product of the matrix with itself, or twice the angle.",
        {
            "offset / 10000": "1 / 10000",
            "return matrix": "return matrix * offset",
        },
    ),
    "sign-lost": (
        "The sign of the offset is lost: a negative offset moves forward. It should move back.",
        {"offset / 10000": "abs(offset) / 10000"},
    ),
    "negative-ignored": (
        "A negative offset moves nothing, as where a loop over range(offset) makes no step. It "
        "should move back.",
        {"offset / 10000": "max(offset, 0) / 10000"},
    ),
    "odd-accepted": (
        "An odd embed_dim is accepted. The last sine has no cosine to turn with, so no such matrix "
        "exists: that is a ValueError.",
        {
            "if embed_dim % 2 == 1:": "if False:",
            "range(0, embed_dim, 2)": "range(0, embed_dim - 1, 2)",
        },
    ),
    "swapped": (
        "sin and cos are swapped in the matrix. With an offset of 0 nothing moves, so the matrix "
        "should be the identity then, with cos(0) = 1 on its diagonal.",
        {"math.sin(angle), math.cos(angle)": "math.cos(angle), math.sin(angle)"},
    ),
    "index-from-the-end": (
        "A negative offset was used as an index into a table of positions, where it counts "
        "from the end. Sine and cosine of a negative angle are to be computed from the offset "
        "itself.",
        {
            "angle = offset": "angle = (offset % (abs(offset) + 1))",
        },
    ),
    "float64": (
        "The matrix is float64. It should be float32, like the positions that it moves.",
        {
            "torch.zeros(embed_dim, embed_dim)": "torch.zeros(embed_dim, embed_dim, "
            "dtype=torch.float64)",
        },
    ),
    "base-thousand": (
        "The base is 1000; that of the positions is 10000.",
        {
            "10000": "1000",
        },
    ),
    "exponent-doubled": (
        "The exponent is twice what it should be: 4i / embed_dim. It is 2i / embed_dim, as in "
        "the positions themselves.",
        {
            "column / embed_dim": "2 * column / embed_dim",
        },
    ),
    "exponent-sign": (
        "The offset is multiplied by 10000^(2i / embed_dim), not divided by it. The pairs "
        "should turn more slowly from column to column.",
        {
            "offset / 10000": "offset * 10000",
        },
    ),
    "spread-to-the-end": (
        "The exponents are spread evenly from 0 to 1, the last pair included, as some "
        "libraries do. Here the exponent is 2i / embed_dim, as in the positions themselves.",
        {
            "column / embed_dim": "column / max(embed_dim - 2, 1)",
        },
    ),
    "cosine-only": (
        "The pairs lack their sines: the diagonal alone is filled, with cosines. sin(a + b) "
        "is made of both, sin(a) cos(b) + cos(a) sin(b).",
        {
            "[[cosine, sine], [-sine, cosine]]": "[[cosine, 0.0], [0.0, cosine]]",
        },
    ),
    "position-itself": (
        "The matrix has the vector of position `offset` on its diagonal. It should turn any "
        "position by that angle: a block of cosine, sine, -sine and cosine for each pair.",
        {
            "[[cosine, sine], [-sine, cosine]]": "[[sine, 0.0], [0.0, cosine]]",
        },
    ),
    "rows-swapped": (
        "The two rows of each block have changed places. The first makes the new sine, of both: "
        "sin(a) cos(b) + cos(a) sin(b). The second makes the new cosine.",
        {"[[cosine, sine], [-sine, cosine]]": "[[-sine, cosine], [cosine, sine]]"},
    ),
}


def _filled(layer, draw):
    """The layer with drawn numbers in all of its parameters, whatever they are called."""
    layer.load({name: draw.normal(*old.shape) for name, old in layer.parameters().items()})
    return layer


def _alike(one, other):
    return one.shape == other.shape and torch.allclose(one, other, rtol=1e-4, atol=1e-5)


@exercise("LearnedPositions", chapter="06-positions", points=2, behavior=True)
def _(student, reference, draw):
    longest, E = 7, 6
    x = draw.normal(B=3, L=4, E=E)
    layer = student(longest, E)
    count = sum(parameter.numel() for parameter in layer.parameters().values())
    require(
        count >= longest * E,
        "There is too little to learn: LearnedPositions should hold max_length vectors of "
        f"embed_dim numbers as parameters, and it has {count} numbers in all.",
        {0: "none", longest: "one each"}.get(count, ""),
    )
    _filled(layer, draw)
    result = layer(x)
    shape = tuple(result.shape) if isinstance(result, Tensor) else None
    require(
        shape == x.shape,
        "The result should be one tensor, of the shape of x: the vectors are added, not appended.",
        "appended" if shape in ((3, 4, 2 * E), (3, 8, E)) else "",
    )
    if shape != x.shape:
        return
    agrees(layer, layer, x, ask=Ask(gradients=False))

    added = result - x
    twice = layer(2 * x)
    growth = twice - result  # x, where it comes through as it is
    scaled = _alike(growth, (growth * x).sum() / x.square().sum() * x)
    require(
        _alike(twice - 2 * x, added),
        "What is added depends on x, or x itself is changed. The result should be x plus a vector "
        "that only depends on the position.",
        "alone" if _alike(layer(-x), result) else "scaled" if scaled else "",
    )
    require(
        _alike(added, added[:1].expand_as(added)),
        "The examples of one batch are given different vectors. The position is the second axis; "
        "the first counts the examples.",
    )
    try:
        whole = layer(torch.zeros(1, longest, E))[0]
    except Raised as raised:
        if "ValueError" not in raised.bases:
            raise
        require(
            False,
            "A sequence of exactly max_length is refused: only a longer one is too long.",
            "refused",
        )
        return
    gaps = (whole[:, None] - whole).abs().amax(dim=-1) + torch.eye(longest)
    require(
        bool((gaps > 1e-4).all()),
        "Two positions have the same vector. Each position from 0 to max_length - 1 should have "
        "one of its own.",
    )
    require(
        _alike(added[0], whole[:4]),
        "The vectors of a short x are not the first ones. Position 0 should have the same vector "
        "whatever the length of x is.",
    )
    for size in ((1, 1, E), (2, 1, E)):
        short = draw.normal(*size)
        added_twice = [layer(short) - short for _ in range(2)]  # nothing is left of the first call
        require(
            all(_alike(one, whole[:1].expand(size)) for one in added_twice),
            "A sequence of one position should get the first vector, at every call.",
        )
    five = draw.normal(B=5, L=4, E=E)
    require(
        _alike(layer(five) - five, added[:1].expand_as(five)),
        "A batch of five gets something else than a batch of three: the number of examples makes "
        "no difference to what is added.",
    )
    found = layer.gradients(x)
    close(found.inputs["0"], cotangent(x), case="the gradient of x")
    require(
        any(bool(gradient.any()) for gradient in found.parameters.values()),
        "No gradient reaches the vectors of the positions, so they never learn.",
    )

    require(
        sum(int(gradient.bool().sum()) for gradient in found.parameters.values()) >= 4 * E,
        "No gradient reaches the vector of one of the positions, so it is never trained: no "
        "position is padding.",
    )
    raises(
        layer,
        ValueError,
        torch.zeros(2, longest + 1, E),
        says=(str(longest), str(longest + 1)),
        case="a sequence longer than max_length",
    )
    layer.train(False)
    raises(
        layer,
        ValueError,
        torch.zeros(2, longest + 1, E),
        case="a sequence longer than max_length, in evaluation mode",
    )
    many = draw.normal(longest + 1, 2, E)
    require(
        _alike(layer(many) - many, added[:1, :2].expand_as(many)),
        "A batch of more than max_length examples gets something else than a batch of three: the "
        "number of examples makes no difference to what is added.",
    )
    layer.to("float64")
    require(
        layer(x.double()).dtype == torch.float64,
        "After `.double()` the result for a float64 x should be float64.",
    )


misconceptions["LearnedPositions"] = {
    "not-a-parameter": (
        "The vectors are not among the layer's parameters, so no optimizer finds them, and they "
        "are never trained. A plain tensor is no parameter, and a list of Python hides those that "
        "it holds: make one nn.Parameter of all, or an nn.Embedding.",
        by(
            {
                "nn.Parameter(torch.zeros(max_length, embed_dim))": "torch.randn(max_length, "
                "embed_dim)"
            },
            style="a parameter",
        ),
    ),
    "one-number": (
        "The positions are one number each, spread over all features by broadcasting. Each "
        "position should have a vector of embed_dim numbers to learn.",
        {"nn.Embedding(max_length, embed_dim)": "nn.Embedding(max_length, 1)"},
    ),
    "appended": (
        "The vectors are appended to x instead of added to it, so the result is twice as large. "
        "It should have the shape of x.",
        {"x + self.table.weight[:L]": "torch.cat([x, self.table.weight[:L].expand_as(x)], dim=-1)"},
    ),
    "changes-input": (
        "The vectors were added into x itself. Whoever called the layer still needs the old "
        "values.",
        {
            "return x + self.table.weight[:L]": (
                "with torch.no_grad():\n    x += self.table.weight[:L]\nreturn x"
            )
        },
    ),
    "multiplied": (
        "What is added depends on x, as where x is multiplied with the vectors. The result is x "
        "plus a vector that depends on the position alone.",
        {"x + self.table.weight[:L]": "x * self.table.weight[:L]"},
    ),
    "along-batch": (
        "The vectors are counted along the batch: every example gets one vector for all of its "
        "positions. The position is the second axis.",
        {"weight[:L]": "weight[: len(x), None]"},
        {"x.shape[1], self": "x.shape[0], self", "weight[:L]": "weight[:L, None]"},
    ),
    "length-of-batch": (
        "The length was read from the first axis of x, which counts the examples of the batch. The "
        "positions are the second axis.",
        {"x.shape[1], self": "x.shape[0], self"},
        {"if max_length < L": "if max_length < x.shape[0]"},
    ),
    "one-vector": (
        "All positions get the same vector, such as the first row of the table. Then the order of "
        "the words is as lost as before.",
        {"weight[:L]": "weight[0]"},
        {"weight[:L]": "weight[L - 1]"},
        {"weight[:L]": "weight.mean(dim=0)"},
    ),
    "last-vectors": (
        "A short x does not get the first vectors of the table in their order, but others, such "
        "as the last ones. Position 0 should have the same vector whatever the length of x is: "
        "the first one.",
        {"weight[:L]": "weight[max_length - L :]"},
    ),
    "detached": (
        "The vectors are cut off from the gradient, as by `.data`, `.detach()` or "
        "`torch.no_grad()`, so they never learn.",
        {"weight[:L]": "weight[:L].detach()"},
    ),
    "starts-again": (
        "A sequence longer than max_length is accepted. Whether it is cut, or some of the vectors "
        "serve twice, positions are lost or look the same, silently: it should be a ValueError.",
        {
            "if max_length < L:": "if False:",
            "weight[:L]": "weight[torch.arange(L) % max_length]",
        },
    ),
    "torch-error": (
        "A sequence longer than max_length is not caught, and torch's own error about sizes comes "
        "up, which says nothing of positions. It should be a ValueError that names both lengths.",
        {"if max_length < L:": "if False:"},
    ),
    "index-error": (
        "The table was looked up past its end: an IndexError. A sequence longer than max_length "
        "should be a ValueError that names both lengths.",
        {
            "if max_length < L:": "if False:",
            "weight[:L]": "weight[torch.arange(L)]",
        },
    ),
    "lengths-unnamed": (
        "The ValueError does not name both lengths: the length that came and the one that is "
        "allowed. With the two numbers the reader knows what to change.",
        by(
            {'raise ValueError(f"length {L} > {longest}")': 'raise ValueError("too long")'},
            style="one-hot positions through a linear layer",
        ),
    ),
    "without-x": (
        "The vectors of the positions came back alone. The result is x plus them.",
        {"x + self.table.weight[:L]": "self.table.weight[:L].expand_as(x)"},
    ),
    "longest-refused": (
        "A sequence of exactly max_length is refused. Only a longer one is a ValueError.",
        {"max_length < L": "max_length <= L"},
    ),
    "normalized": (
        "x was scaled, as by sqrt(E), or the sum of x and the vectors was. The result is x itself "
        "plus them.",
        {
            "return x + self.table.weight[:L]": "return x * x.shape[-1] ** 0.5 + "
            "self.table.weight[:L]",
        },
    ),
    "frozen": (
        "The vectors are parameters, but nothing trains them: `requires_grad=False` freezes them, "
        "and `nn.Embedding.from_pretrained` does so unless it is told freeze=False.",
        {
            "self.table = nn.Embedding(max_length, embed_dim)": "self.table = "
            "nn.Embedding(max_length, embed_dim)\nself.table.weight.requires_grad_(False)",
        },
    ),
    "x-detached": (
        "x is cut off from the gradient, so nothing before this layer ever learns.",
        {
            "return x + self.table.weight[:L]": "return x.detach() + self.table.weight[:L]",
        },
    ),
    "first-is-padding": (
        "The vector of one position never learns, as `padding_idx=0` does to the first one: it is "
        "zeros and has no gradient. No position is padding here.",
        {
            "nn.Embedding(max_length, embed_dim)": "nn.Embedding(max_length, embed_dim, "
            "padding_idx=0)",
            "self.table.weight[:L]": "self.table(torch.arange(L))",
        },
    ),
}


@exercise("rotate_positions", chapter="06-positions", points=3)
def _(student, reference, draw):
    agrees(student, reference, draw.normal(L=5, D=8))
    agrees(student, reference, draw.normal(2, L=5, D=6), case="a batch")
    agrees(student, reference, draw.normal(2, 3, L=5, D=4), case="two batch dimensions")
    agrees(student, reference, draw.normal(L=4, D=6), base=100.0, case="another base")
    agrees(student, reference, draw.normal(L=30, D=8), case="many positions")
    agrees(student, reference, draw.normal(2, 1, D=8), case="one position")
    raises(student, ValueError, draw.normal(L=5, D=7), case="an odd number of features")
    agrees(student, reference, draw.normal(L=5, D=8), start=3, case="a text that goes on")
    agrees(student, reference, draw.normal(2, 1, D=6), start=40, case="one more position")
    case = "a text that goes on, with another base"
    agrees(student, reference, draw.normal(L=5, D=8), base=2.5, start=3, case=case, ask=VALUES)
    agrees(student, reference, draw.normal(L=4, D=8), base=50.0, start=2, case=case, ask=VALUES)
    some = draw.normal(2, 2, 3, 2), 50.0, 3000
    agrees(student, reference, *some, case="base and start by position, D = 2", ask=VALUES)
    raises(student, ValueError, draw.normal(3, 1), case="one feature")
    more = draw.normal(2, 1, 2, L=3, D=4)
    agrees(student, reference, more, case="three batch dimensions", ask=VALUES)
    if not hasattr(torch, "compile"):  # NumPy, in the page, has no complex numbers of two halves
        return
    half = draw.normal(L=5, D=8).half()
    try:
        got = student(half)
    except Raised:  # no product of such numbers is promised
        got = half
    require(
        getattr(got, "dtype", None) == torch.float16,
        "Given x in float16, rotate_positions returns another dtype.",
    )


misconceptions["rotate_positions"] = {
    "angles-in-float32": (
        "The angles, or their sines and cosines, are made in float32 whatever `x` is: for float64 "
        "digits are lost, and in float16 the result has another dtype. Make them in float64 where "
        "`x` is float64, and return the dtype of `x`.",
        {
            "exact = x if x.dtype == torch.float64 else x.float()": "exact = torch.zeros(1)",
            "return turned.flatten(start_dim=-2).to(x)": "return turned.flatten(start_dim=-2)",
        },
    ),
    "across-the-batch": (
        "The positions go on from one example of the batch to the next. Each begins at `start`: "
        "the positions are those of the second axis from the end alone.",
        {
            "return turned.flatten(start_dim=-2).to(x)": "turned = turned.flatten(start_dim=-2)\n"
            "if x.dim() < 3 or x.shape[:-2].numel() == 1:\n    return turned\n"
            "rows = x.reshape(-1, D)\n"
            "return rotate_positions(rows, base, start).reshape(x.shape)"
        },
    ),
    "clockwise": (
        "The rotation goes the wrong way, clockwise: the minus belongs to the first coordinate. "
        "Dot products then still depend on distances alone, but the layer does not fit weights "
        "that others have trained.",
        {
            "first * angle.cos() - second": "first * angle.cos() + second",
            "first * angle.sin() + second * angle.cos()": "second * angle.cos() - first * "
            "angle.sin()",
        },
    ),
    "both-plus": (
        "Both sines have the same sign: that is no rotation, and the vectors change their length. "
        "The minus belongs to the first coordinate alone.",
        {"angle.cos() - second": "angle.cos() + second"},
        {
            "first * angle.sin() + second * angle.cos()": "second * angle.cos() - first * "
            "angle.sin()",
        },
    ),
    "halves": (
        "A feature is paired with the one half the vector away (as some libraries do). Here the "
        "pairs are neighbors: 2i and 2i + 1.",
        {
            "x[..., 0::2], x[..., 1::2]": "x.chunk(2, dim=-1)",
            "torch.stack(": "torch.cat(",
            "turned.flatten(start_dim=-2)": "turned",
        },
    ),
    "put-together-as-halves": (
        "The turned pairs are right, but were put together as two halves. They belong where they "
        "were: interleaved, 2i and 2i + 1.",
        {
            "torch.stack(": "torch.cat(",
            "turned.flatten(start_dim=-2)": "turned",
        },
    ),
    "start-unused": (
        "`start` is not used: the first position is always 0. Where a text goes on, its first "
        "position is `start`.",
        {"torch.arange(start, start + L)": "torch.arange(L)"},
    ),
    "from-one": (
        "The positions are counted from 1. The first position is 0, and is not turned at all.",
        {"torch.arange(start, start + L)": "torch.arange(start + 1, start + L + 1)"},
    ),
    "one-angle": (
        "All pairs are turned by the same angle, the position itself. Each pair has its own speed, "
        "base^(-2i / D).",
        {"base ** (-column / D)": "torch.ones_like(column)"},
    ),
    "exponent-halved": (
        "The exponent counts the pairs by one: -i / D. It is -2i / D.",
        {"-column / D": "-column / 2 / D"},
    ),
    "exponent-sign": (
        "The sign of the exponent is missing, so the pairs turn faster and faster. They should "
        "turn more slowly from pair to pair.",
        {"-column / D": "column / D"},
    ),
    "added": (
        "The sinusoidal positions were added to x. Here nothing is added: the features are turned, "
        "and keep their length.",
        {
            "first * angle.cos() - second * angle.sin()": "first + angle.sin()",
            "first * angle.sin() + second * angle.cos()": "second + angle.cos()",
        },
    ),
    "cosine-only": (
        "The features were multiplied with the cosine alone. A rotation mixes the two coordinates "
        "of a pair; the sine carries that.",
        {
            "first * angle.cos() - second * angle.sin()": "first * angle.cos()",
            "first * angle.sin() + second * angle.cos()": "second * angle.cos()",
        },
    ),
    "second-axis": (
        "The positions were counted along another axis than the one that has them. "
        "`rotate_positions` counts along the second axis from the end, however many stand before "
        "it.",
        {
            "position = torch.arange(start, start + L)": (
                "L = x.shape[min(1, x.dim() - 2)]\nposition = torch.arange(start, start + L)"
            ),
            "first, second = x": "if x.dim() == 4:\n    angle = angle[:, None]\nfirst, second = x",
        },
        {
            "position = torch.arange(start, start + L)": "L = x.shape[1]\n"
            "position = torch.arange(start, start + L)",
            "first, second = x": "if x.dim() > 2:\n"
            "    angle = angle.reshape(L, *[1] * (x.dim() - 3), D // 2)\nfirst, second = x",
        },
    ),
    "base-unused": (
        "The base is always 10000: the argument `base` is not used.",
        {"base ** (-column / D)": "10000.0 ** (-column / D)"},
    ),
    "odd-accepted": (
        "An odd number of features is accepted. The last one has no neighbor to turn with: that "
        "is a ValueError.",
        by(
            {"if D % 2:": "if False:"},
            style="a matrix for each pair",
        ),
    ),
    "start-added-to-angle": (
        "`start` is added to the angle, after the position was multiplied by the pair's "
        "speed. It is added to the position: every pair then moves on by its own speed.",
        {
            "torch.arange(start, start + L)": "torch.arange(L)",
            "base ** (-column / D))": "base ** (-column / D)) + start",
        },
    ),
    "start-times-position": (
        "`start` is multiplied with the positions. It is added to them: the first position is "
        "`start`.",
        {
            "torch.arange(start, start + L)": "(torch.arange(L) * max(start, 1))",
        },
    ),
    "start-backward": (
        "`start` is subtracted from the positions. It is added: the first position is `start`.",
        {
            "torch.arange(start, start + L)": "torch.arange(-start, L - start)",
        },
    ),
    "start-only": (
        "All positions are turned as position `start`. They go on from there: start, start + "
        "1 and so on.",
        {
            "torch.arange(start, start + L)": "torch.full((L,), start)",
        },
    ),
    "from-the-end": (
        "The positions are counted backward, so that the last one is `start`. The first one is.",
        {
            "torch.arange(start, start + L)": "torch.arange(start, start + L).flip(0)",
        },
    ),
    "base-multiplied": (
        "The position is divided by the base times the exponent. It is divided by the base to "
        "the power of it.",
        {
            "base ** (-column / D)": "1 / (base * column / D).clamp(min=1)",
        },
    ),
    "spread-to-the-end": (
        "The exponents are spread evenly from 0 to 1, the last pair included. Here the "
        "exponent is 2i / D, which never reaches 1.",
        {
            "-column / D": "-column / max(D - 2, 1)",
        },
    ),
    "every-feature-its-own": (
        "Each feature has a speed of its own. The two features of a pair are turned by one "
        "angle: pos * base^(-2i / D) for both.",
        {
            "first * angle.sin() + second * angle.cos()": "first * (angle * base ** (-1 / "
            "D)).sin() + second * (angle * base ** (-1 / D)).cos()",
        },
    ),
    "even-features-only": (
        "Only the first feature of each pair was turned; the second came back as it was. A "
        "rotation changes both coordinates.",
        {
            "first * angle.sin() + second * angle.cos()": "second + 0 * first",
        },
    ),
    "pair-swapped": (
        "The two coordinates of each pair have changed places, in the result or where they were "
        "taken from x. Feature 2i is the first one, and 2i + 1 the second.",
        {
            "torch.stack(": "torch.stack([ first * angle.sin() + second * angle.cos(), first "
            "* angle.cos() - second * angle.sin()], dim=-1) if True else torch.stack(",
        },
        {"x[..., 0::2], x[..., 1::2]": "x[..., 1::2], x[..., 0::2]"},
    ),
    "exponent-doubled": (
        "The exponent is twice what it should be: -4i / D. It is -2i / D.",
        {
            "-column / D": "-2 * column / D",
        },
    ),
    "half-turned": (
        "Only the first half of the features is turned. All pairs are, each by its own speed.",
        {
            "base ** (-column / D))": "base ** (-column / D) * (column < D / 2))",
        },
    ),
    "start-once": (
        "Only the first position is moved to `start`; the others count on from 1. All of them "
        "move: start, start + 1 and so on.",
        {
            "torch.arange(start, start + L)": "torch.tensor([start, *range(1, L)])",
        },
    ),
    "angles-kept": (
        "The angles of an earlier call are used again where `base` is another one. What is kept "
        "has to be looked up by all that it is made of, `base` too; or make the angles in each "
        "call.",
        {
            "start: int = 0": "start: int = 0, kept={}",
            "torch.outer(position, base ** (-column / D))": (
                "kept.setdefault((start, L, D, x.dtype), torch.outer(position, base ** (-column / "
                "D)))"
            ),
        },
    ),
    "base-unused-later": (
        "Where a text goes on, `base` makes no difference: with another `start` than 0 the angles "
        "are those of base 10000, as where `base` is not handed on to what makes them.",
        {"base ** (-column / D)": "(10000.0 if start else base) ** (-column / D)"},
    ),
    "first-overwritten": (
        "The second coordinate is made from the first after that was turned. Both are made from "
        "the coordinates as they came: keep the old first one until both are there.",
        {
            "first * angle.sin() + second * angle.cos()": "(first * angle.cos() - second * "
            "angle.sin()) * angle.sin() + second * angle.cos()",
        },
    ),
}


prediction(
    "twice-as-long",
    chapter="06-positions",
    question=(
        "All four kinds name every left neighbor of ten letters. Of twenty letters, how many does "
        "the model with added sinusoidal positions get right?"
    ),
    right="About half.",
    options={
        "All: one place to the left is one matrix, at every place.": (
            "For positions alone such a matrix exists. But training was free to find any that is "
            "right for ten letters, and what it found fails on half of twenty."
        ),
        "About half.": (
            "In this model the hope is not borne out: what was learned on ten letters does not "
            "carry over."
        ),
        "One in nineteen, as chance would give.": (
            "It would be that few if everything broke down. But some letters still come out right."
        ),
    },
)
