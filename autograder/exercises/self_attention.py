"""Checks for chapter 5, self-attention."""

import math

import torch
from torch import Tensor, nn

from autograder.checking import (
    agrees,
    close,
    exercise,
    misconception,
    mistake,
    portable,
    raises,
    require,
)
from autograder.checking.calling import cotangent
from autograder.checking.subject import Raised
from autograder.exercises.attention_layer import no_bias


@exercise("SelfAttention", chapter="05-self-attention", points=4)
def _(student, reference, draw):
    def layers(E, D, V):
        weights = {
            "W_q.weight": draw.normal(D=D, E=E) / 2,
            "W_k.weight": draw.normal(D=D, E=E) / 2,
            "W_v.weight": draw.normal(V, E=E),
        }
        made = student(E, D, V), reference(E, D, V)
        for layer in made:
            layer.load(weights)
        return made

    def case(text, *arguments):
        agrees(*pair, *arguments, names=("output", "weights"), case=text)

    # Queries, keys and values of one width: whoever mixes them up gets numbers, not an error.
    pair = layers(6, 4, 4)
    case("", draw.normal(2, L=5, E=6))

    pair = layers(6, 8, 3)
    x = draw.normal(2, L=5, E=6)
    case("three different widths", x)
    case("no batch", x[0])
    case("two batch dimensions", draw.normal(2, 2, L=5, E=6))

    # Every position may attend to some and not to others, and the mask is not its own transpose.
    step = torch.arange(5)
    mask = (step - step[:, None]) % 5 < 2 + step[:, None] % 2
    case("a mask", x, mask)
    keys = torch.tensor([[[1, 1, 1, 0, 0]], [[1, 0, 0, 1, 0]]], dtype=torch.bool)
    case("a mask for all positions alike", x, keys)
    case("a mask for each example", x, torch.stack([mask, mask.mT]))
    empty = mask.clone()
    empty[1] = False
    case("a position that may attend to nothing", x, empty)
    case("nothing may be attended to", x, torch.zeros_like(mask))
    no_bias(pair[0], {"W_q": 8, "W_k": 8, "W_v": 3})


mistake(
    "SelfAttention",
    "The scores are not divided by sqrt(key_dim). The wider queries and keys are, the more one "
    "position takes all of the weight.",
    {"/ math.sqrt(D)": ""},
    within="scaled_dot_product_scores",
)


mistake(
    "SelfAttention",
    "The scores are scaled by the wrong size: the square root of embed_dim. The dot product is of "
    "a query and a key, and both are key_dim wide.",
    {
        "scaled_dot_product_attention(": "scaled_dot_product_attention("
        "math.sqrt(query.shape[-1] / x.shape[-1]) * "
    },
)


mistake(
    "SelfAttention",
    "The scores are scaled by the wrong size: the square root of value_dim. The dot product is of "
    "a query and a key, and both are key_dim wide.",
    {
        "scaled_dot_product_attention(": "scaled_dot_product_attention("
        "math.sqrt(query.shape[-1] / value.shape[-1]) * "
    },
)


mistake(
    "SelfAttention",
    "W_q and W_k are swapped, so the scores are transposed: how much i attends to j has become "
    "how much j attends to i.",
    {"self.W_q(x), self.W_k(x)": "self.W_k(x), self.W_q(x)"},
)


mistake(
    "SelfAttention",
    "W_k and W_v are swapped: the keys are made with W_v, and the values with W_k. Keys are what "
    "the queries are compared with; values are what comes out.",
    {"self.W_k(x)": "self.W_v(x)", "value = self.W_v(x)": "value = self.W_k(x)"},
)


mistake(
    "SelfAttention",
    "The softmax runs along the wrong axis: here what a position receives from all others sums to "
    "one. It is each position that shares out its attention over all positions.",
    {"softmax(scores)": "softmax(scores, dim=-2)"},
    within="scaled_dot_product_attention",
)


mistake(
    "SelfAttention",
    "A position does not attend to itself: the diagonal is masked. The sum runs over all j, and j "
    "= i is one of them.",
    {
        "query, key = self": "others = ~torch.eye(x.shape[-2], dtype=torch.bool)\n"
        "mask = others if mask is None else mask & others\nquery, key = self"
    },
)


mistake(
    "SelfAttention",
    "The values are x itself, without W_v. The output is as wide as x then; it should be "
    "value_dim wide.",
    {"value = self.W_v(x)": "value = x"},
)


mistake(
    "SelfAttention",
    "The keys are the queries: W_q was used for both. Then i attends to j as j to i before the "
    "softmax, and W_k never learns.",
    {"self.W_k(x)": "self.W_q(x)"},
)


mistake(
    "SelfAttention",
    "The mask is not used. What may not be attended to gets a weight all the same.",
    {"value, mask)": "value)"},
)


mistake(
    "SelfAttention",
    "The mask is taken the wrong way around. True means that a position may attend to the other "
    "(in nn.MultiheadAttention it means the opposite).",
    {"~mask": "mask"},
    within="scaled_dot_product_attention",
)


mistake(
    "SelfAttention",
    "The mask is applied after the softmax only. The weights that remain do not sum to one any "
    "more.",
    {
        "scores = scores.masked_fill(~mask, -math.inf)": "pass",
        "return weights @ value": "weights = weights if mask is None else weights * mask\n"
        "return weights @ value",
    },
    within="scaled_dot_product_attention",
)


mistake(
    "SelfAttention",
    "A position that may attend to nothing gets NaN: in its row all scores are -inf, and softmax "
    "divides zero by zero. Its output and weights should be zeros.",
    {".clamp(min=lowest)": "", "total.clamp(min=1)": "total"},
    within="softmax",
)


mistake(
    "SelfAttention",
    "A masked score is a large negative number instead of -inf. For a position that may attend to "
    "nothing these are all the same, so it attends to everything alike, where the weights should "
    "be zeros.",
    {"-math.inf": "-1e30"},
    within="scaled_dot_product_attention",
)


mistake(
    "SelfAttention",
    "The matrices have a bias. The contract says bias=False for all three: queries, keys and "
    "values are products with a matrix, nothing more.",
    {
        "W_q = nn.Linear(embed_dim, key_dim, bias=False)": "W_q = nn.Linear(embed_dim, key_dim)",
        "W_k = nn.Linear(embed_dim, key_dim, bias=False)": "W_k = nn.Linear(embed_dim, key_dim)",
        "embed_dim, value_dim, bias=False)": "embed_dim, value_dim)\n"
        "for layer in (self.W_q, self.W_k, self.W_v):\n    nn.init.zeros_(layer.bias)",
    },
)


def _with_positions(x, table):
    return x + table


def _without_positions(x, matrix):
    return torch.tanh(x @ matrix)


def _with_weights(x, table):
    weights = torch.softmax(x @ x.T + table @ table.T, dim=-1)
    return weights @ x, weights


def _first_row_times(x, factor):
    return torch.cat([factor * x[:1], x[1:]])


@exercise("equivariance_gap", chapter="05-self-attention", points=2)
def _(student, reference, draw):
    L, E = 5, 3
    x, table = draw.normal(L=L, E=E), draw.normal(L=L, E=E)
    order = draw.permutation(L)
    cycle = torch.empty_like(order)
    cycle[order] = order.roll(1)  # doing it twice does not undo it

    def case(text, layer, x, permutation):
        agrees(student, reference, layer, x, permutation, case=text, gradients=False)

    case("a layer with positions", portable(_with_positions, table=table), x, cycle)
    layer = portable(_without_positions, matrix=draw.normal(E, 4))
    case("a layer that treats all rows alike", layer, x, cycle)
    layer = portable(_with_weights, table=table)
    case("a layer that returns a tuple", layer, x, cycle)
    x = draw.uniform(L=L, E=E, low=1.0, high=2.0)
    x[0] = 0.1
    for factor in (0.0, 2.0):  # the largest difference is negative once, positive once
        case("a layer with one row of its own", portable(_first_row_times, factor=factor), x, cycle)


@misconception(
    "equivariance_gap",
    "layer(Px) is compared with layer(x) as it is. The rows of one are in another order than the "
    "rows of the other: P has to be applied to the output as well.",
)
def _(layer, x, permutation):
    turned, straight = layer(x[permutation]), layer(x)
    if isinstance(straight, tuple):
        turned, straight = turned[0], straight[0]
    return (turned - straight).abs().max().item()


@misconception(
    "equivariance_gap",
    "The output is put in the inverse order. Both sides should use the same permutation: "
    "layer(Px) and P layer(x).",
)
def _(layer, x, permutation):
    turned, straight = layer(x[permutation]), layer(x)
    if isinstance(straight, tuple):
        turned, straight = turned[0], straight[0]
    return (turned - straight[permutation.argsort()]).abs().max().item()


@misconception(
    "equivariance_gap",
    "The largest difference was taken with its sign, so a large negative difference does not "
    "count. It is the largest absolute difference.",
)
def _(layer, x, permutation):
    turned, straight = layer(x[permutation]), layer(x)
    if isinstance(straight, tuple):
        turned, straight = turned[0], straight[0]
    return (turned - straight[permutation]).max().item()


@misconception(
    "equivariance_gap",
    "The absolute differences were averaged. One row that differs among many that do not is then "
    "nearly overlooked: the gap is the largest of them.",
)
def _(layer, x, permutation):
    turned, straight = layer(x[permutation]), layer(x)
    if isinstance(straight, tuple):
        turned, straight = turned[0], straight[0]
    return (turned - straight[permutation]).abs().mean().item()


@misconception(
    "equivariance_gap",
    "The differences were squared and added up to one distance. The gap is the largest single "
    "difference.",
)
def _(layer, x, permutation):
    turned, straight = layer(x[permutation]), layer(x)
    if isinstance(straight, tuple):
        turned, straight = turned[0], straight[0]
    return (turned - straight[permutation]).norm().item()


@misconception(
    "equivariance_gap",
    "The differences were squared. The gap is the largest absolute difference, in the units of "
    "the output.",
)
def _(layer, x, permutation):
    turned, straight = layer(x[permutation]), layer(x)
    if isinstance(straight, tuple):
        turned, straight = turned[0], straight[0]
    return (turned - straight[permutation]).square().max().item()


@misconception(
    "equivariance_gap",
    "A layer that returns a tuple is not unpacked. Attention layers return (output, weights), and "
    "the first of the two is to be judged.",
)
def _(layer, x, permutation):
    return (layer(x[permutation]) - layer(x)[permutation]).abs().max().item()


@misconception(
    "equivariance_gap",
    "A layer that returns a tuple was judged by its last element, the weights. The first element "
    "is the output.",
)
def _(layer, x, permutation):
    turned, straight = layer(x[permutation]), layer(x)
    if isinstance(straight, tuple):
        turned, straight = turned[-1], straight[-1]
    return (turned - straight[permutation]).abs().max().item()


@exercise("sinusoidal_positions", chapter="05-self-attention", points=3)
def _(student, reference, draw):
    def case(text, length, embed_dim):
        agrees(student, reference, length, embed_dim, case=text, atol=5e-5)

    case("", 6, 8)
    case("many positions", 100, 8)
    case("one pair", 5, 2)
    case("an odd embed_dim", 6, 7)
    case("one column", 4, 1)
    case("a size drawn", draw.int(5, 40), 2 * draw.int(3, 20))


@misconception(
    "sinusoidal_positions",
    "The sines and cosines are not interleaved: all sines come first, then all cosines. In the "
    "paper columns 2i and 2i + 1 are the sine and the cosine of one frequency.",
)
def _(length, embed_dim):
    position = torch.arange(length)[:, None]
    angle = position / 10000 ** (torch.arange(0, embed_dim, 2) / embed_dim)
    return torch.cat([angle.sin(), angle.cos()], dim=-1)[:, :embed_dim]


@misconception(
    "sinusoidal_positions",
    "Sine and cosine are swapped: even columns are sines, odd columns are cosines. Position 0 is "
    "0, 1, 0, 1, ...",
)
def _(length, embed_dim):
    position = torch.arange(length, dtype=torch.float64)
    column = torch.arange(embed_dim, dtype=torch.float64)
    angle = torch.outer(position, 10000 ** (-(column - column % 2) / embed_dim))
    return torch.where(column % 2 == 1, angle.sin(), angle.cos()).float()


@misconception(
    "sinusoidal_positions",
    "Every column has a frequency of its own: the exponent is the column over embed_dim. A sine "
    "and its cosine are a pair of one frequency, 2i / embed_dim for both.",
)
def _(length, embed_dim):
    position = torch.arange(length, dtype=torch.float64)
    column = torch.arange(embed_dim, dtype=torch.float64)
    angle = torch.outer(position, 10000 ** (-column / embed_dim))
    return torch.where(column % 2 == 0, angle.sin(), angle.cos()).float()


@misconception(
    "sinusoidal_positions",
    "The exponent counts the pairs by one: i / embed_dim. It is 2i / embed_dim, so that the "
    "frequencies reach from 1 nearly to 1 / 10000.",
)
def _(length, embed_dim):
    position = torch.arange(length, dtype=torch.float64)
    column = torch.arange(embed_dim, dtype=torch.float64)
    angle = torch.outer(position, 10000 ** (-(column - column % 2) / 2 / embed_dim))
    return torch.where(column % 2 == 0, angle.sin(), angle.cos()).float()


@misconception(
    "sinusoidal_positions",
    "The exponent is 2i over the number of pairs, twice what it should be: the frequencies fall "
    "to 1 / 10000 squared. It is 2i / embed_dim.",
)
def _(length, embed_dim):
    position = torch.arange(length, dtype=torch.float64)
    column = torch.arange(embed_dim, dtype=torch.float64)
    angle = torch.outer(position, 10000 ** (-2 * (column - column % 2) / embed_dim))
    return torch.where(column % 2 == 0, angle.sin(), angle.cos()).float()


@misconception(
    "sinusoidal_positions",
    "The position is multiplied by 10000^(2i / embed_dim), not divided by it. The waves should "
    "become slower from column to column.",
)
def _(length, embed_dim):
    position = torch.arange(length, dtype=torch.float64)
    column = torch.arange(embed_dim, dtype=torch.float64)
    angle = torch.outer(position, 10000 ** ((column - column % 2) / embed_dim))
    return torch.where(column % 2 == 0, angle.sin(), angle.cos()).float()


@misconception(
    "sinusoidal_positions",
    "The positions are counted from 1. The first row is position 0: 0, 1, 0, 1, ...",
)
def _(length, embed_dim):
    position = torch.arange(1, length + 1, dtype=torch.float64)
    column = torch.arange(embed_dim, dtype=torch.float64)
    angle = torch.outer(position, 10000 ** (-(column - column % 2) / embed_dim))
    return torch.where(column % 2 == 0, angle.sin(), angle.cos()).float()


@misconception(
    "sinusoidal_positions",
    "The base is 1000; the paper's is 10000.",
)
def _(length, embed_dim):
    position = torch.arange(length, dtype=torch.float64)
    column = torch.arange(embed_dim, dtype=torch.float64)
    angle = torch.outer(position, 1000 ** (-(column - column % 2) / embed_dim))
    return torch.where(column % 2 == 0, angle.sin(), angle.cos()).float()


@misconception(
    "sinusoidal_positions",
    "The angles were turned into radians once more. The position over the power of 10000 is in "
    "radians already.",
)
def _(length, embed_dim):
    position = torch.arange(length, dtype=torch.float64)
    column = torch.arange(embed_dim, dtype=torch.float64)
    angle = torch.outer(position, 10000 ** (-(column - column % 2) / embed_dim)) * math.pi / 180
    return torch.where(column % 2 == 0, angle.sin(), angle.cos()).float()


@misconception(
    "sinusoidal_positions",
    "All columns are sines. A sine alone does not tell its position even within one turn, and "
    "only sine and cosine together can be shifted by a matrix.",
)
def _(length, embed_dim):
    position = torch.arange(length, dtype=torch.float64)
    column = torch.arange(embed_dim, dtype=torch.float64)
    angle = torch.outer(position, 10000 ** (-(column - column % 2) / embed_dim))
    return torch.where(column % 2 == 0, angle.sin(), angle.sin()).float()


@misconception(
    "sinusoidal_positions",
    "An odd embed_dim does not work: there is one cosine less than there are sines.",
)
def _(length, embed_dim):
    table = torch.zeros(length, embed_dim)
    angle = torch.arange(length)[:, None] / 10000 ** (torch.arange(0, embed_dim, 2) / embed_dim)
    table[:, 0::2] = angle.sin()
    table[:, 1::2] = angle.cos()
    return table


@misconception(
    "sinusoidal_positions",
    "With an odd embed_dim the frequencies are those of the next even number. The exponent is 2i "
    "/ embed_dim, whether it is odd or even.",
)
def _(length, embed_dim):
    position = torch.arange(length, dtype=torch.float64)
    column = torch.arange(embed_dim, dtype=torch.float64)
    angle = torch.outer(position, 10000 ** (-(column - column % 2) / (embed_dim + embed_dim % 2)))
    return torch.where(column % 2 == 0, angle.sin(), angle.cos()).float()


@misconception(
    "sinusoidal_positions",
    "The table is float64. It has no input to follow, so it should be float32 like the embeddings "
    "it is added to.",
)
def _(length, embed_dim):
    position = torch.arange(length, dtype=torch.float64)
    column = torch.arange(embed_dim, dtype=torch.float64)
    angle = torch.outer(position, 10000 ** (-(column - column % 2) / embed_dim))
    return torch.where(column % 2 == 0, angle.sin(), angle.cos())


@exercise("shift_matrix", chapter="05-self-attention", points=3)
def _(student, reference, draw):
    def case(text, offset, embed_dim):
        agrees(student, reference, offset, embed_dim, case=text)

    case("", 1, 8)
    case("one pair", 2, 2)
    case("a larger offset", draw.int(5, 50), 6)
    case("a negative offset", -draw.int(1, 20), 8)
    case("no offset", 0, 6)
    raises(student, ValueError, 1, 5, case="an odd embed_dim")


@misconception(
    "shift_matrix",
    "The rotation goes the wrong way: the matrix is the transpose, which moves a position back by "
    "`offset`. The sine comes before the cosine in a pair, which turns the usual matrix around.",
)
def _(offset, embed_dim):
    if embed_dim % 2:
        raise ValueError("shift_matrix: embed_dim must be even")
    matrix = torch.zeros(embed_dim, embed_dim)
    for column in range(0, embed_dim, 2):
        angle = offset / 10000 ** (column / embed_dim)
        sine, cosine = math.sin(angle), math.cos(angle)
        pair = slice(column, column + 2)
        matrix[pair, pair] = torch.tensor([[cosine, -sine], [sine, cosine]])
    return matrix


@misconception(
    "shift_matrix",
    "Both sines have the same sign. sin(a + b) has a plus between its two products, cos(a + b) a "
    "minus.",
)
def _(offset, embed_dim):
    if embed_dim % 2:
        raise ValueError("shift_matrix: embed_dim must be even")
    matrix = torch.zeros(embed_dim, embed_dim)
    for column in range(0, embed_dim, 2):
        angle = offset / 10000 ** (column / embed_dim)
        sine, cosine = math.sin(angle), math.cos(angle)
        pair = slice(column, column + 2)
        matrix[pair, pair] = torch.tensor([[cosine, sine], [sine, cosine]])
    return matrix


@misconception(
    "shift_matrix",
    "The pairs are taken from the two halves, column i and column i + embed_dim / 2. Here sine "
    "and cosine of a pair are neighbors.",
)
def _(offset, embed_dim):
    if embed_dim % 2:
        raise ValueError("shift_matrix: embed_dim must be even")
    matrix = torch.zeros(embed_dim, embed_dim)
    for column in range(0, embed_dim, 2):
        angle = offset / 10000 ** (column / embed_dim)
        sine, cosine = math.sin(angle), math.cos(angle)
        pair = slice(column // 2, None, embed_dim // 2)
        matrix[pair, pair] = torch.tensor([[cosine, sine], [-sine, cosine]])
    return matrix


@misconception(
    "shift_matrix",
    "All pairs are turned by the same angle. Each pair has a frequency of its own, and its angle "
    "is offset times that.",
)
def _(offset, embed_dim):
    if embed_dim % 2:
        raise ValueError("shift_matrix: embed_dim must be even")
    matrix = torch.zeros(embed_dim, embed_dim)
    for column in range(0, embed_dim, 2):
        angle = float(offset)
        sine, cosine = math.sin(angle), math.cos(angle)
        pair = slice(column, column + 2)
        matrix[pair, pair] = torch.tensor([[cosine, sine], [-sine, cosine]])
    return matrix


@misconception(
    "shift_matrix",
    "The exponent counts the pairs by one: i / embed_dim. It is 2i / embed_dim, as in the "
    "positions themselves.",
)
def _(offset, embed_dim):
    if embed_dim % 2:
        raise ValueError("shift_matrix: embed_dim must be even")
    matrix = torch.zeros(embed_dim, embed_dim)
    for column in range(0, embed_dim, 2):
        angle = offset / 10000 ** (column / 2 / embed_dim)
        sine, cosine = math.sin(angle), math.cos(angle)
        pair = slice(column, column + 2)
        matrix[pair, pair] = torch.tensor([[cosine, sine], [-sine, cosine]])
    return matrix


@misconception(
    "shift_matrix",
    "The matrix is made for an offset of 1 and then multiplied by the offset. Turning twice is "
    "the product of the matrix with itself, or twice the angle.",
)
def _(offset, embed_dim):
    if embed_dim % 2:
        raise ValueError("shift_matrix: embed_dim must be even")
    matrix = torch.zeros(embed_dim, embed_dim)
    for column in range(0, embed_dim, 2):
        angle = 1 / 10000 ** (column / embed_dim)
        sine, cosine = math.sin(angle), math.cos(angle)
        pair = slice(column, column + 2)
        matrix[pair, pair] = torch.tensor([[cosine, sine], [-sine, cosine]])
    return matrix * offset


@misconception(
    "shift_matrix",
    "The sign of the offset is lost: a negative offset moves forward. It should move back.",
)
def _(offset, embed_dim):
    if embed_dim % 2:
        raise ValueError("shift_matrix: embed_dim must be even")
    matrix = torch.zeros(embed_dim, embed_dim)
    for column in range(0, embed_dim, 2):
        angle = abs(offset) / 10000 ** (column / embed_dim)
        sine, cosine = math.sin(angle), math.cos(angle)
        pair = slice(column, column + 2)
        matrix[pair, pair] = torch.tensor([[cosine, sine], [-sine, cosine]])
    return matrix


@misconception(
    "shift_matrix",
    "An odd embed_dim is accepted. The last sine has no cosine to turn with, so no such matrix "
    "exists: that is a ValueError.",
)
def _(offset, embed_dim):
    matrix = torch.zeros(embed_dim, embed_dim)
    for column in range(0, embed_dim - 1, 2):
        angle = offset / 10000 ** (column / embed_dim)
        sine, cosine = math.sin(angle), math.cos(angle)
        pair = slice(column, column + 2)
        matrix[pair, pair] = torch.tensor([[cosine, sine], [-sine, cosine]])
    return matrix


@misconception(
    "shift_matrix",
    "sin and cos are swapped in the matrix. With an offset of 0 nothing moves, so the matrix "
    "should be the identity then, with cos(0) = 1 on its diagonal.",
)
def _(offset, embed_dim):
    if embed_dim % 2:
        raise ValueError("shift_matrix: embed_dim must be even")
    matrix = torch.zeros(embed_dim, embed_dim)
    for column in range(0, embed_dim, 2):
        angle = offset / 10000 ** (column / embed_dim)
        sine, cosine = math.sin(angle), math.cos(angle)
        pair = slice(column, column + 2)
        matrix[pair, pair] = torch.tensor([[sine, cosine], [-cosine, sine]])
    return matrix


def _filled(layer, draw):
    """The layer with drawn numbers in all of its parameters, whatever they are called."""
    layer.load({name: draw.normal(*old.shape) for name, old in layer.parameters().items()})
    return layer


def _alike(one, other):
    return one.shape == other.shape and torch.allclose(one, other, rtol=1e-4, atol=1e-5)


@exercise("LearnedPositions", chapter="05-self-attention", points=2, behavior=True)
def _(student, reference, draw):
    longest, E = 7, 6
    x = draw.normal(B=3, L=4, E=E)
    layer = student(longest, E)
    count = sum(parameter.numel() for parameter in layer.parameters().values())
    require(
        count >= longest * E,
        "There is too little to learn: LearnedPositions should hold max_length vectors of "
        f"embed_dim numbers as parameters, and it has {count} numbers in all.",
    )
    _filled(layer, draw)
    result = layer(x)
    require(
        isinstance(result, Tensor) and result.shape == x.shape,
        "The result should be one tensor, of the shape of x: the vectors are added, not appended.",
    )
    agrees(layer, layer, x, gradients=False)

    added = result - x
    require(
        _alike(layer(2 * x) - 2 * x, added),
        "What is added depends on x, or x itself is changed. The result should be x plus a vector "
        "that only depends on the position.",
    )
    require(
        _alike(added, added[:1].expand_as(added)),
        "The examples of one batch are given different vectors. The position is the second axis; "
        "the first counts the examples.",
    )
    whole = layer(torch.zeros(1, longest, E))[0]
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
    found = layer.gradients(x)
    close(found.inputs["0"], cotangent(x), case="the gradient of x")
    require(
        any(bool(gradient.any()) for gradient in found.parameters.values()),
        "No gradient reaches the vectors of the positions, so they never learn.",
    )

    try:
        layer(torch.zeros(2, longest + 1, E))
    except Raised as raised:
        require(
            "ValueError" in raised.bases,
            f"A sequence longer than max_length should raise ValueError; it raised {raised.type}.",
        )
        require(
            str(longest) in raised.message and str(longest + 1) in raised.message,
            "The error for a sequence longer than max_length should name both lengths.",
        )
    else:
        require(
            False, "A sequence longer than max_length was accepted: it should raise ValueError."
        )


@misconception(
    "LearnedPositions",
    "The vectors are a plain tensor, not a parameter: no optimizer finds them, and they are never "
    "trained.",
)
class _(nn.Module):
    def __init__(self, max_length, embed_dim):
        super().__init__()
        self.table = torch.randn(max_length, embed_dim)

    def forward(self, x):
        L, longest = x.shape[1], len(self.table)
        if longest < L:
            raise ValueError(f"LearnedPositions: length {L} is past max_length {longest}")
        return x + self.table[:L]


@misconception(
    "LearnedPositions",
    "The positions are one number each, spread over all features by broadcasting. Each position "
    "should have a vector of embed_dim numbers to learn.",
)
class _(nn.Module):
    def __init__(self, max_length, embed_dim):
        super().__init__()
        self.table = nn.Parameter(torch.randn(max_length, 1))

    def forward(self, x):
        L, longest = x.shape[1], len(self.table)
        if longest < L:
            raise ValueError(f"LearnedPositions: length {L} is past max_length {longest}")
        return x + self.table[:L]


@misconception(
    "LearnedPositions",
    "The vectors are appended to the features instead of added to them, so the result is twice as "
    "wide.",
)
class _(nn.Module):
    def __init__(self, max_length, embed_dim):
        super().__init__()
        self.table = nn.Parameter(torch.randn(max_length, embed_dim))

    def forward(self, x):
        L, longest = x.shape[1], len(self.table)
        if longest < L:
            raise ValueError(f"LearnedPositions: length {L} is past max_length {longest}")
        return torch.cat([x, self.table[:L].expand_as(x)], dim=-1)


@misconception(
    "LearnedPositions",
    "The vectors were added into x itself. Whoever called the layer still needs the old values.",
)
class _(nn.Module):
    def __init__(self, max_length, embed_dim):
        super().__init__()
        self.table = nn.Parameter(torch.randn(max_length, embed_dim))

    def forward(self, x):
        L, longest = x.shape[1], len(self.table)
        if longest < L:
            raise ValueError(f"LearnedPositions: length {L} is past max_length {longest}")
        with torch.no_grad():
            x += self.table[:L]
        return x


@misconception(
    "LearnedPositions",
    "x is multiplied with the vectors instead of adding them.",
)
class _(nn.Module):
    def __init__(self, max_length, embed_dim):
        super().__init__()
        self.table = nn.Parameter(torch.randn(max_length, embed_dim))

    def forward(self, x):
        L, longest = x.shape[1], len(self.table)
        if longest < L:
            raise ValueError(f"LearnedPositions: length {L} is past max_length {longest}")
        return x * self.table[:L]


@misconception(
    "LearnedPositions",
    "The vectors are counted along the batch: every example gets one vector for all of its "
    "positions. The position is the second axis.",
)
class _(nn.Module):
    def __init__(self, max_length, embed_dim):
        super().__init__()
        self.table = nn.Parameter(torch.randn(max_length, embed_dim))

    def forward(self, x):
        L, longest = x.shape[1], len(self.table)
        if longest < L:
            raise ValueError(f"LearnedPositions: length {L} is past max_length {longest}")
        return x + self.table[: len(x), None]


@misconception(
    "LearnedPositions",
    "All positions get the same vector: the first row of the table. Then the order of the words "
    "is as lost as before.",
)
class _(nn.Module):
    def __init__(self, max_length, embed_dim):
        super().__init__()
        self.table = nn.Parameter(torch.randn(max_length, embed_dim))

    def forward(self, x):
        L, longest = x.shape[1], len(self.table)
        if longest < L:
            raise ValueError(f"LearnedPositions: length {L} is past max_length {longest}")
        return x + self.table[0]


@misconception(
    "LearnedPositions",
    "A short x gets the last vectors of the table. Position 0 should have the same vector "
    "whatever the length of x is: the first one.",
)
class _(nn.Module):
    def __init__(self, max_length, embed_dim):
        super().__init__()
        self.table = nn.Parameter(torch.randn(max_length, embed_dim))

    def forward(self, x):
        L, longest = x.shape[1], len(self.table)
        if longest < L:
            raise ValueError(f"LearnedPositions: length {L} is past max_length {longest}")
        return x + self.table[longest - L :]


@misconception(
    "LearnedPositions",
    "The vectors are cut off from the gradient (`.data`, `.detach()`), so they never learn.",
)
class _(nn.Module):
    def __init__(self, max_length, embed_dim):
        super().__init__()
        self.table = nn.Parameter(torch.randn(max_length, embed_dim))

    def forward(self, x):
        L, longest = x.shape[1], len(self.table)
        if longest < L:
            raise ValueError(f"LearnedPositions: length {L} is past max_length {longest}")
        return x + self.table[:L].detach()


@misconception(
    "LearnedPositions",
    "A sequence longer than max_length starts again with the first vector. Two positions then "
    "look the same, silently: it should be a ValueError.",
)
class _(nn.Module):
    def __init__(self, max_length, embed_dim):
        super().__init__()
        self.table = nn.Parameter(torch.randn(max_length, embed_dim))

    def forward(self, x):
        L, longest = x.shape[1], len(self.table)
        return x + self.table[torch.arange(L) % longest]


@misconception(
    "LearnedPositions",
    "A sequence longer than max_length is not caught, and torch's own error about sizes comes up, "
    "which says nothing of positions. It should be a ValueError that names both lengths.",
)
class _(nn.Module):
    def __init__(self, max_length, embed_dim):
        super().__init__()
        self.table = nn.Parameter(torch.randn(max_length, embed_dim))

    def forward(self, x):
        L = x.shape[1]
        return x + self.table[:L]


@misconception(
    "LearnedPositions",
    "The table was looked up past its end: an IndexError. A sequence longer than max_length "
    "should be a ValueError that names both lengths.",
)
class _(nn.Module):
    def __init__(self, max_length, embed_dim):
        super().__init__()
        self.table = nn.Parameter(torch.randn(max_length, embed_dim))

    def forward(self, x):
        L = x.shape[1]
        return x + self.table[torch.arange(L)]


@misconception(
    "LearnedPositions",
    "The ValueError does not name both lengths: the length that came and the one that is allowed. "
    "With the two numbers the reader knows what to change.",
)
class _(nn.Module):
    def __init__(self, max_length, embed_dim):
        super().__init__()
        self.table = nn.Parameter(torch.randn(max_length, embed_dim))

    def forward(self, x):
        L, longest = x.shape[1], len(self.table)
        if longest < L:
            raise ValueError("LearnedPositions: the sequence is too long")
        return x + self.table[:L]


@exercise("rotate_positions", chapter="05-self-attention", points=3)
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


@misconception(
    "rotate_positions",
    "The rotation goes the wrong way, clockwise: the minus belongs to the first coordinate. Dot "
    "products then still depend on distances alone, but the layer does not fit weights that "
    "others have trained.",
)
def _(x, base=10000.0):
    L, D = x.shape[-2:]
    if D % 2:
        raise ValueError("rotate_positions: the last dimension must be even")
    position = torch.arange(L, dtype=x.dtype)
    column = torch.arange(0, D, 2, dtype=x.dtype)
    angle = torch.outer(position, base ** (-column / D))
    first, second = x[..., 0::2], x[..., 1::2]
    cos, sin = angle.cos(), angle.sin()
    turned = [first * cos + second * sin, second * cos - first * sin]
    return torch.stack(turned, dim=-1).flatten(start_dim=-2)


@misconception(
    "rotate_positions",
    "Both coordinates have a plus: that is no rotation, and the vectors change their length.",
)
def _(x, base=10000.0):
    L, D = x.shape[-2:]
    if D % 2:
        raise ValueError("rotate_positions: the last dimension must be even")
    position = torch.arange(L, dtype=x.dtype)
    column = torch.arange(0, D, 2, dtype=x.dtype)
    angle = torch.outer(position, base ** (-column / D))
    first, second = x[..., 0::2], x[..., 1::2]
    cos, sin = angle.cos(), angle.sin()
    turned = [first * cos + second * sin, first * sin + second * cos]
    return torch.stack(turned, dim=-1).flatten(start_dim=-2)


@misconception(
    "rotate_positions",
    "A feature is paired with the one half the vector away (as some libraries do). Here the pairs "
    "are neighbors: 2i and 2i + 1.",
)
def _(x, base=10000.0):
    L, D = x.shape[-2:]
    if D % 2:
        raise ValueError("rotate_positions: the last dimension must be even")
    position = torch.arange(L, dtype=x.dtype)
    column = torch.arange(0, D, 2, dtype=x.dtype)
    angle = torch.outer(position, base ** (-column / D))
    first, second = x[..., : D // 2], x[..., D // 2 :]
    cos, sin = angle.cos(), angle.sin()
    turned = [first * cos - second * sin, first * sin + second * cos]
    return torch.cat(turned, dim=-1)


@misconception(
    "rotate_positions",
    "The turned pairs are right, but were put together as two halves. They belong where they "
    "were: interleaved, 2i and 2i + 1.",
)
def _(x, base=10000.0):
    L, D = x.shape[-2:]
    if D % 2:
        raise ValueError("rotate_positions: the last dimension must be even")
    position = torch.arange(L, dtype=x.dtype)
    column = torch.arange(0, D, 2, dtype=x.dtype)
    angle = torch.outer(position, base ** (-column / D))
    first, second = x[..., 0::2], x[..., 1::2]
    cos, sin = angle.cos(), angle.sin()
    turned = [first * cos - second * sin, first * sin + second * cos]
    return torch.cat(turned, dim=-1)


@misconception(
    "rotate_positions",
    "The positions are counted from 1. The first position is 0, and is not turned at all.",
)
def _(x, base=10000.0):
    L, D = x.shape[-2:]
    if D % 2:
        raise ValueError("rotate_positions: the last dimension must be even")
    position = torch.arange(1, L + 1, dtype=x.dtype)
    column = torch.arange(0, D, 2, dtype=x.dtype)
    angle = torch.outer(position, base ** (-column / D))
    first, second = x[..., 0::2], x[..., 1::2]
    cos, sin = angle.cos(), angle.sin()
    turned = [first * cos - second * sin, first * sin + second * cos]
    return torch.stack(turned, dim=-1).flatten(start_dim=-2)


@misconception(
    "rotate_positions",
    "All pairs are turned by the same angle, the position itself. Each pair has its own speed, "
    "base^(-2i / D).",
)
def _(x, base=10000.0):
    L, D = x.shape[-2:]
    if D % 2:
        raise ValueError("rotate_positions: the last dimension must be even")
    position = torch.arange(L, dtype=x.dtype)
    column = torch.arange(0, D, 2, dtype=x.dtype)
    angle = torch.outer(position, torch.ones_like(column))
    first, second = x[..., 0::2], x[..., 1::2]
    cos, sin = angle.cos(), angle.sin()
    turned = [first * cos - second * sin, first * sin + second * cos]
    return torch.stack(turned, dim=-1).flatten(start_dim=-2)


@misconception(
    "rotate_positions",
    "The exponent counts the pairs by one: -i / D. It is -2i / D.",
)
def _(x, base=10000.0):
    L, D = x.shape[-2:]
    if D % 2:
        raise ValueError("rotate_positions: the last dimension must be even")
    position = torch.arange(L, dtype=x.dtype)
    column = torch.arange(0, D, 2, dtype=x.dtype)
    angle = torch.outer(position, base ** (-column / 2 / D))
    first, second = x[..., 0::2], x[..., 1::2]
    cos, sin = angle.cos(), angle.sin()
    turned = [first * cos - second * sin, first * sin + second * cos]
    return torch.stack(turned, dim=-1).flatten(start_dim=-2)


@misconception(
    "rotate_positions",
    "The sign of the exponent is missing, so the pairs turn faster and faster. They should turn "
    "more slowly from pair to pair.",
)
def _(x, base=10000.0):
    L, D = x.shape[-2:]
    if D % 2:
        raise ValueError("rotate_positions: the last dimension must be even")
    position = torch.arange(L, dtype=x.dtype)
    column = torch.arange(0, D, 2, dtype=x.dtype)
    angle = torch.outer(position, base ** (column / D))
    first, second = x[..., 0::2], x[..., 1::2]
    cos, sin = angle.cos(), angle.sin()
    turned = [first * cos - second * sin, first * sin + second * cos]
    return torch.stack(turned, dim=-1).flatten(start_dim=-2)


@misconception(
    "rotate_positions",
    "The sinusoidal positions were added to x. Here nothing is added: the features are turned, "
    "and keep their length.",
)
def _(x, base=10000.0):
    L, D = x.shape[-2:]
    if D % 2:
        raise ValueError("rotate_positions: the last dimension must be even")
    position = torch.arange(L, dtype=x.dtype)
    column = torch.arange(0, D, 2, dtype=x.dtype)
    angle = torch.outer(position, base ** (-column / D))
    first, second = x[..., 0::2], x[..., 1::2]
    cos, sin = angle.cos(), angle.sin()
    turned = [first + sin, second + cos]
    return torch.stack(turned, dim=-1).flatten(start_dim=-2)


@misconception(
    "rotate_positions",
    "The features were multiplied with the cosine alone. A rotation mixes the two coordinates of "
    "a pair; the sine carries that.",
)
def _(x, base=10000.0):
    L, D = x.shape[-2:]
    if D % 2:
        raise ValueError("rotate_positions: the last dimension must be even")
    position = torch.arange(L, dtype=x.dtype)
    column = torch.arange(0, D, 2, dtype=x.dtype)
    angle = torch.outer(position, base ** (-column / D))
    first, second = x[..., 0::2], x[..., 1::2]
    cos = angle.cos()
    turned = [first * cos, second * cos]
    return torch.stack(turned, dim=-1).flatten(start_dim=-2)


@misconception(
    "rotate_positions",
    "The position was taken from the second axis from the front. That fits one batch dimension "
    "only; the positions are the second axis from the end.",
)
def _(x, base=10000.0):
    L, D = x.shape[0 if x.dim() == 2 else 1], x.shape[-1]
    if D % 2:
        raise ValueError("rotate_positions: the last dimension must be even")
    position = torch.arange(L, dtype=x.dtype)
    column = torch.arange(0, D, 2, dtype=x.dtype)
    angle = torch.outer(position, base ** (-column / D))
    first, second = x[..., 0::2], x[..., 1::2]
    cos, sin = angle.cos(), angle.sin()
    if x.dim() == 4:
        cos, sin = cos[:, None], sin[:, None]
    turned = [first * cos - second * sin, first * sin + second * cos]
    return torch.stack(turned, dim=-1).flatten(start_dim=-2)


@misconception(
    "rotate_positions",
    "The base is always 10000: the argument `base` is not used.",
)
def _(x, base=10000.0):
    L, D = x.shape[-2:]
    if D % 2:
        raise ValueError("rotate_positions: the last dimension must be even")
    position = torch.arange(L, dtype=x.dtype)
    column = torch.arange(0, D, 2, dtype=x.dtype)
    angle = torch.outer(position, 10000.0 ** (-column / D))
    first, second = x[..., 0::2], x[..., 1::2]
    cos, sin = angle.cos(), angle.sin()
    turned = [first * cos - second * sin, first * sin + second * cos]
    return torch.stack(turned, dim=-1).flatten(start_dim=-2)


@misconception(
    "rotate_positions",
    "An odd number of features is accepted. The last one has no neighbor to turn with: that is a "
    "ValueError.",
)
def _(x, base=10000.0):
    L, D = x.shape[-2:]
    x, last = x[..., : D // 2 * 2], x[..., D // 2 * 2 :]
    position = torch.arange(L, dtype=x.dtype)
    column = torch.arange(0, D - 1, 2, dtype=x.dtype)
    angle = torch.outer(position, base ** (-column / D))
    first, second = x[..., 0::2], x[..., 1::2]
    cos, sin = angle.cos(), angle.sin()
    turned = [first * cos - second * sin, first * sin + second * cos]
    return torch.cat([torch.stack(turned, dim=-1).flatten(start_dim=-2), last], dim=-1)
