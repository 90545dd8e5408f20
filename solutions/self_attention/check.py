"""Checks for chapter 5, self-attention."""

import torch

from autograder.checking import (
    Ask,
    agrees,
    backpropagates,
    by,
    exercise,
    misconceptions,
    portable,
    prediction,
)
from autograder.checking.cases import VALUES, each_one, masks
from autograder.checking.comparing import of_kind
from solutions.attention_layer.check import no_bias


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
    for text, size in each_one(B=2, L=5):
        x = draw.normal(*size.values(), 6)
        agrees(*pair, x, names=("output", "weights"), case=text, ask=VALUES)
    pair = layers(6, 6, 6)  # whoever adds the input to the output gets numbers, not an error
    x = draw.normal(2, L=5, E=6)
    agrees(*pair, x, names=("output", "weights"), case="one width for all", ask=VALUES)

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
    backpropagates(pair[0], x, torch.zeros_like(mask), case="nothing may be attended to")
    no_bias(pair[0], {"W_q": 8, "W_k": 8, "W_v": 3})
    quick = {"names": ("output", "weights"), "ask": VALUES}
    agrees(*pair, x[:, None, None], case="three batch dimensions", **quick)
    zeros = x * (torch.arange(5) != 1)[:, None]
    agrees(*pair, zeros, case="a position of zeros", **quick)
    agrees(*pair, x, case="no mask after a mask", **quick)
    # Where a masked score is far larger than the others, the mask comes too late after softmax.
    large = {"case": "large numbers, and a mask", "rtol": 2e-3, "atol": 5e-3}
    agrees(*pair, 30 * x, mask, **quick | large)
    # Of one size all, so that a mask along another axis gives numbers, not an error.
    cube = draw.normal(3, 3, 3, 6)
    for text, allowed in masks(draw, 3, 3, 3, 3):
        agrees(*pair, cube, allowed, case=text, **quick)
    agrees(*pair, cube[0], allowed[0, 0], case="a mask (3, 3) for all examples", **quick)
    agrees(*layers(1, 1, 1), draw.normal(2, 3, 1), case="all widths 1", **quick)


misconceptions["SelfAttention"] = {
    "not-scaled": (
        "The scores are not divided by sqrt(key_dim). The wider queries and keys are, the more one "
        "position takes all of the weight.",
        by(
            {"/ math.sqrt(D)": ""},
            within="scaled_dot_product_scores",
        ),
    ),
    "scaled-by-width": (
        "The scores are scaled by the wrong size: the square root of embed_dim. The dot product "
        "is of a query and a key, and both are key_dim wide.",
        {
            "scaled_dot_product_attention(": "scaled_dot_product_attention("
            "math.sqrt(query.shape[-1] / x.shape[-1]) * "
        },
    ),
    "scaled-by-value": (
        "The scores are scaled by the wrong size: the square root of value_dim. The dot product "
        "is of a query and a key, and both are key_dim wide.",
        {
            "scaled_dot_product_attention(": "scaled_dot_product_attention("
            "math.sqrt(query.shape[-1] / value.shape[-1]) * "
        },
    ),
    "query-key-swapped": (
        "The scores are transposed, as where W_q and W_k are swapped, or the keys are multiplied "
        "by the queries: how much i attends to j has become how much j attends to i.",
        {"self.W_q(x), self.W_k(x)": "self.W_k(x), self.W_q(x)"},
    ),
    "key-value-swapped": (
        "W_k and W_v are swapped: the keys are made with W_v, and the values with W_k. Keys are "
        "what the queries are compared with; values are what comes out.",
        {
            "self.W_k(x)": "self.W_v(x)",
            "value = self.W_v(x)": "value = self.W_k(x)",
        },
    ),
    "softmax-over-queries": (
        "The softmax runs along the wrong axis: here what a position receives from all others "
        "sums to one. It is each position that shares out its attention over all positions.",
        by(
            {"softmax(scores)": "softmax(scores, dim=-2)"},
            within="scaled_dot_product_attention",
        ),
    ),
    "itself-masked": (
        "A position does not attend to itself: the diagonal is masked. The sum runs over all j, "
        "and j = i is one of them.",
        {
            "query, key = self": "others = ~torch.eye(x.shape[-2], dtype=torch.bool)\n"
            "mask = others if mask is None else mask & others\nquery, key = self"
        },
    ),
    "inputs-as-values": (
        "The values are x itself, without W_v. The output is as wide as x then; it should be "
        "value_dim wide.",
        {"value = self.W_v(x)": "value = x"},
    ),
    "keys-are-queries": (
        "The keys are the queries: W_q was used for both, so before the softmax i attends to j as "
        "j to i. The keys are made with W_k.",
        {"self.W_k(x)": "self.W_q(x)"},
    ),
    "mask-unused": (
        "The mask is not used where it should be: what may not be attended to gets a weight all "
        "the same.",
        {"value, mask)": "value)"},
    ),
    "mask-turned-around": (
        "The mask is taken the wrong way around. True means that a position may attend to the "
        "other (in nn.MultiheadAttention it means the opposite).",
        by(
            {"~mask": "mask"},
            within="scaled_dot_product_attention",
        ),
    ),
    "masked-after-softmax": (
        "The mask is applied after the softmax only. The weights that remain do not sum to one any "
        "more.",
        by(
            {
                "scores = scores.masked_fill(~mask, -math.inf)": "pass",
                "return weights @ value": "weights = weights if mask is None else weights * mask\n"
                "return weights @ value",
            },
            within="scaled_dot_product_attention",
        ),
    ),
    "empty-row-nan": (
        "A position that may attend to nothing gets NaN: all scores of its row are -inf, and "
        "softmax cannot make shares of them. Its output and weights should be zeros.",
        by(
            {".clamp(min=lowest)": "", "total.clamp(min=1)": "total"},
            within="softmax",
        ),
    ),
    "large-negative": (
        "A position that may attend to nothing attends to everything alike, as it does where "
        "masked scores are one large negative number instead of -inf. Its weights and its output "
        "should be zeros.",
        by(
            {"-math.inf": "-1e30"},
            within="scaled_dot_product_attention",
        ),
    ),
    "has-bias": (
        "A matrix has a bias. The contract says bias=False for all three: queries, keys and "
        "values are products with a matrix, nothing more.",
        {
            "W_q = nn.Linear(embed_dim, key_dim, bias=False)": "W_q = nn.Linear(embed_dim, "
            "key_dim)",
            "W_k = nn.Linear(embed_dim, key_dim, bias=False)": "W_k = nn.Linear(embed_dim, "
            "key_dim)",
            "embed_dim, value_dim, bias=False)": "embed_dim, value_dim)\n"
            "for layer in (self.W_q, self.W_k, self.W_v):\n    nn.init.zeros_(layer.bias)",
        },
    ),
    "weights-transposed": (
        "The weights come back transposed, so a column sums to one. Row i holds how much position "
        "i attends to each position.",
        {
            "return scaled_dot_product_attention(query, key, value, mask)": "output, weights = "
            "scaled_dot_product_attention(query, key, value, mask)\nreturn output, weights.mT"
        },
    ),
    "empty-row-sees-itself": (
        "A position that may attend to nothing was allowed to attend to itself. Its output "
        "and its weights should be zeros.",
        {
            "query, key = self": "if mask is not None:\n    mask = mask | (~mask.any(dim=-1, "
            "keepdim=True) & torch.eye(x.shape[-2], dtype=torch.bool))\nquery, key = self",
        },
    ),
    "always-sees-itself": (
        "A position may always attend to itself here, whatever the mask says. Where the mask "
        "is False on its diagonal, it may not.",
        {
            "query, key = self": "if mask is not None:\n    mask = mask | "
            "torch.eye(x.shape[-2], dtype=torch.bool)\nquery, key = self",
        },
    ),
    "mask-transposed": (
        "The mask is transposed: its rows were taken for the keys. Row i says what position i "
        "may attend to.",
        {
            "value, mask)": "value, mask if mask is None or mask.dim() < 2 else mask.mT)",
        },
        {
            "value, mask)": "value, None if mask is None else mask.mT)",
        },
    ),
    "causal-unasked": (
        "Without a mask a position attends only to itself and to those before it. Nobody "
        "asked for that: without a mask everyone may attend to all.",
        {
            "query, key = self": "if mask is None:\n    mask = torch.ones(x.shape[-2], "
            "x.shape[-2], dtype=torch.bool).tril()\nquery, key = self",
        },
    ),
    "always-causal": (
        "A position attends only to itself and to those before it, also where a mask allows "
        "more. The mask alone says who may attend to whom; None allows all.",
        {
            "query, key = self": "causal = torch.ones(x.shape[-2], x.shape[-2], "
            "dtype=torch.bool).tril()\nmask = causal if mask is None else mask & causal\n"
            "query, key = self",
        },
    ),
    "weights-unmasked": (
        "The weights that come back are those without the mask; only the output has it. They "
        "are to be the weights that the output was made with.",
        {
            "return scaled_dot_product_attention(query, key, value, mask)": "output, _ = "
            "scaled_dot_product_attention(query, key, value, mask)\nfree = "
            "scaled_dot_product_attention(query, key, value)[1]\nreturn output, free",
        },
        {
            "return scaled_dot_product_attention(query, key, value, mask)": "output, _ = "
            "scaled_dot_product_attention(query, key, value, mask)\nfree = "
            "scaled_dot_product_attention(query, key, value)[1]\nreturn output, free if mask "
            "is None else free * mask.any(dim=-1, keepdim=True)",
        },
    ),
    "output-unmasked": (
        "The weights that come back have the mask, but the output was made without it. Both "
        "belong together.",
        {
            "return scaled_dot_product_attention(query, key, value, mask)": "output, _ = "
            "scaled_dot_product_attention(query, key, value)\nreturn output, "
            "scaled_dot_product_attention(query, key, value, mask)[1]",
        },
    ),
    "queries-are-keys": (
        "The queries are the keys: W_k was used for both, so before the softmax i attends to j as "
        "j to i. The queries are made with W_q.",
        {
            "self.W_q(x), self": "self.W_k(x), self",
        },
    ),
    "keys-as-values": (
        "The keys are used as values. What a position is found by and what it answers have "
        "weights of their own: the values are made with W_v.",
        {
            "value = self.W_v(x)": "value = key",
        },
    ),
    "query-value-swapped": (
        "W_q and W_v are swapped: the queries are made with W_v, and the values with W_q.",
        {
            "self.W_q(x)": "self.W_v(x)",
            "value = self.W_v(x)": "value = self.W_q(x)",
        },
    ),
    "inputs-as-keys": (
        "The keys are x itself, without W_k. They should be made with it, and be key_dim wide.",
        {
            "self.W_k(x)": "x",
        },
    ),
    "inputs-as-queries": (
        "The queries are x itself, without W_q. They should be made with it, and be key_dim wide.",
        {
            "self.W_q(x)": "x",
        },
    ),
    "row-masked": (
        "The mask hides positions that ask, where it should hide positions that are looked "
        "at: it was applied to the rows of the result. True says which position may attend to "
        "which other one.",
        {
            "return scaled_dot_product_attention(query, key, value, mask)": "output, weights "
            "= scaled_dot_product_attention(query, key, value)\nif mask is None:\n    return "
            "output, weights\nasking = mask.any(dim=-1, keepdim=True)\nreturn output * "
            "asking, weights * asking",
        },
    ),
    "empty-row-allowed": (
        "A position that may attend to nothing attends as if it had no mask. Its weights and "
        "its output should be zeros.",
        by(
            {
                "masked_fill(~mask,": "masked_fill(~mask & mask.any(dim=-1, keepdim=True),",
            },
            within="scaled_dot_product_attention",
        ),
    ),
    "input-added": (
        "x was added to the output, as a residual connection does. That comes with the "
        "Transformer's block; the output here is made of the values alone.",
        {
            "return scaled_dot_product_attention(query, key, value, mask)": "output, weights "
            "= scaled_dot_product_attention(query, key, value, mask)\nreturn (output + x if "
            "output.shape == x.shape else output + x.mean(dim=-1, keepdim=True)), weights",
        },
        {
            "return scaled_dot_product_attention(query, key, value, mask)": "output, weights "
            "= scaled_dot_product_attention(query, key, value, mask)\nreturn output + x, weights",
        },
        {
            "return scaled_dot_product_attention(query, key, value, mask)": "output, weights "
            "= scaled_dot_product_attention(query, key, value, mask)\nif output.shape == x.shape:\n"
            "    output = output + x\nreturn output, weights",
        },
    ),
    "scores-returned": (
        "The scores come back in the place of the weights. The weights are what softmax makes "
        "of them, and each row sums to one.",
        {
            "return scaled_dot_product_attention(query, key, value, mask)": "output, weights "
            "= scaled_dot_product_attention(query, key, value, mask)\nreturn output, query @ "
            "key.transpose(-2, -1) / query.shape[-1] ** 0.5",
        },
    ),
    "queries-and-keys-not-projected": (
        "Queries and keys are x itself. They should be made with W_q and W_k, and be key_dim wide.",
        {"query, key = self.W_q(x), self.W_k(x)": "query, key = x, x"},
    ),
    "not-projected": (
        "No matrix is used: queries, keys and values are x itself. They are what W_q, W_k and W_v "
        "make of it.",
        {
            "query, key = self.W_q(x), self.W_k(x)": "query, key = x, x",
            "value = self.W_v(x)": "value = x",
        },
    ),
    "mask-with-new-axis": (
        "The mask is given one axis more. It broadcasts to (..., L, L) as it comes: whoever gives "
        "it has put the axes in that it needs.",
        {
            "value, mask)": "value, mask if mask is None else mask[:, None])",
        },
        {
            "value, mask)": "value, mask if mask is None else mask[:, None, :])",
        },
        {"(query, key, value, mask)": "(query, key, value, None if mask is None else mask[None])"},
    ),
    "mask-both-ways": (
        "Position i attends to j only where the mask also lets j attend to i. Row i of the mask "
        "alone says what position i may attend to.",
        {
            "query, key = self": "if mask is not None:\n    mask = mask.expand(*x.shape[:-1], "
            "x.shape[-2])\n    mask = mask & mask.mT\nquery, key = self",
        },
    ),
    "mask-either-way": (
        "Position i attends to j, too, where the mask lets only j attend to i. Row i of the mask "
        "alone says what position i may attend to.",
        {
            "query, key = self": "if mask is not None:\n    mask = mask.expand(*x.shape[:-1], "
            "x.shape[-2])\n    mask = mask | mask.mT\nquery, key = self",
        },
    ),
    "leading-axes-merged": (
        "With no leading axis, or with several, the output, the weights or both come back with "
        "exactly one, as `bmm` wants it. Both have the leading axes of the inputs: put them back.",
        {
            "return scaled_dot_product_attention(query, key, value, mask)": (
                "output, weights = scaled_dot_product_attention(query, key, value, mask)\n"
                "return output, weights.reshape(-1, *weights.shape[-2:])"
            ),
        },
        {
            "return scaled_dot_product_attention(query, key, value, mask)": (
                "output, weights = scaled_dot_product_attention(query, key, value, mask)\n"
                "output = output.reshape(-1, *output.shape[-2:])\n"
                "return output, weights.reshape(-1, *weights.shape[-2:])"
            ),
        },
        {
            "return scaled_dot_product_attention(query, key, value, mask)": (
                "output, weights = scaled_dot_product_attention(query, key, value, mask)\n"
                "return output.reshape(-1, *output.shape[-2:]), weights"
            ),
        },
    ),
    "masked-and-divided": (
        "The mask is applied after the softmax, or after exp, and the rest is divided by its sum. "
        "Beside a masked score that is far larger, the rest is rounded to zero before: masked "
        "scores should be -inf before the softmax.",
        *[
            by(
                {
                    "scores = scores.masked_fill(~mask, -math.inf)": (
                        "weights = softmax(scores) * mask\n"
                        f"weights = weights / {divisor}\n"
                        "return weights @ value, weights"
                    ),
                },
                within="scaled_dot_product_attention",
            )
            for divisor in (
                "(weights.sum(dim=-1, keepdim=True) + 1e-9)",
                "(weights.sum(dim=-1, keepdim=True) + 1e-8)",
                "(weights.sum(dim=-1, keepdim=True) + 1e-12)",
                "weights.sum(dim=-1, keepdim=True).clamp(min=1e-30)",
                "weights.sum(dim=-1, keepdim=True).clamp(min=1e-9)",
            )
        ],
    ),
}


def _with_positions(x, table):
    return x + table


def _without_positions(x, matrix):
    return torch.tanh(x @ matrix)


def _with_weights(x, table):
    weights = torch.softmax(x @ x.T + table @ table.T, dim=-1)
    return weights @ x, weights


def _first_row_times(x, factor):
    return torch.cat([factor * x[:1], x[1:]])


def _with_others(x, factor, others):
    return (torch.cat([factor * x[:1], x[1:]]), *[x] * others)


@exercise("equivariance_gap", chapter="05-self-attention", points=2, mend="inverse")
def _(student, reference, draw):
    L, E = 5, 3
    x, table = draw.normal(L=L, E=E), draw.normal(L=L, E=E)
    order = draw.permutation(L)
    cycle = torch.empty_like(order)
    cycle[order] = order.roll(1)  # doing it twice does not undo it

    calls = []

    def case(text, layer, x, permutation):
        agrees(student, reference, layer, x, permutation, case=text, ask=Ask(gradients=False))
        calls.append((text, (layer, x, permutation)))

    case("a layer with positions", portable(_with_positions, table=table), x, cycle)
    swap = torch.arange(L)
    swap[:2] = swap[:2].flip(0)
    case("two rows exchanged", portable(_with_positions, table=table), x, swap)
    layer = portable(_without_positions, matrix=draw.normal(E, 4))
    case("a layer that treats all rows alike", layer, x, cycle)
    square = draw.normal(4, 4), torch.tensor([2, 0, 3, 1])
    layer = portable(_without_positions, matrix=draw.normal(4, 4))
    case("a layer that treats all rows alike, as many features as rows", layer, *square)
    layer = portable(_with_weights, table=table)
    case("a layer that returns a tuple", layer, x, cycle)
    x = draw.uniform(L=L, E=E, low=1.0, high=2.0)
    x[0] = 0.1
    for factor in (0.0, 2.0):  # the largest difference is negative once, positive once
        case("a layer with one row of its own", portable(_first_row_times, factor=factor), x, cycle)
    case("a small difference", portable(_first_row_times, factor=1.0003), x, cycle)
    for others in (0, 2):
        layer = portable(_with_others, factor=2.0, others=others)
        case(f"a layer that returns a tuple of {1 + others}", layer, x, cycle)
    x, order = x.clone(), torch.tensor([1, 2, 0, 4, 3])
    x[0] = 10.0  # the largest difference is neither in the first row nor in the last
    case("a middle row", portable(_first_row_times, factor=2.0), x, order)
    layer = portable(_with_others, factor=2.0, others=1)
    case("a middle row, in a tuple", layer, x, order)
    for text, arguments in calls:  # last, as an error here ends the check
        of_kind(student(*arguments), float, text, student.last_call)


misconceptions["equivariance_gap"] = {
    "output-unordered": (
        "layer(Px) is compared with layer(x) as it is. The rows of one are in another order than "
        "the rows of the other: P has to be applied to the output as well.",
        {"straight[permutation]": "straight"},
    ),
    "inverse": (
        "The output is put in the inverse order. Both sides should use the same permutation: "
        "layer(Px) and P layer(x).",
        {"straight[permutation]": "straight[permutation.argsort()]"},
    ),
    "signed": (
        "The largest difference was taken with its sign, so a large negative difference does not "
        "count. It is the largest absolute difference.",
        {".abs()": ""},
        {
            "(turned - straight[permutation]).abs()": "(straight[permutation] - turned)",
        },
    ),
    "averaged": (
        "The absolute differences were averaged. One row that differs among many that do not is "
        "then nearly overlooked: the gap is the largest of them.",
        {".max()": ".mean()"},
    ),
    "squares-added": (
        "The differences were squared and added up to one distance. The gap is the largest single "
        "difference.",
        {".abs().max()": ".norm()"},
    ),
    "squared": (
        "The differences were squared. The gap is the largest absolute difference, in the units of "
        "the output.",
        {".abs()": ".square()"},
    ),
    "tuple-unexpected": (
        "A layer that returns a tuple is not unpacked. Attention layers return (output, weights), "
        "and the first of the two is to be judged.",
        {"if isinstance(straight, tuple):": "if False:"},
    ),
    "last-of-tuple": (
        "A layer that returns a tuple was judged by its last element. The first element is the "
        "output.",
        {"turned[0], straight[0]": "turned[-1], straight[-1]"},
    ),
    "tensor": (
        "The gap came back as a tensor. It should be a plain float: `.item()` takes it out.",
        {".item()": ""},
    ),
    "relative": (
        "The gap is divided by the size of the output. It is the largest absolute difference "
        "itself.",
        {
            "return (turned - straight[permutation]).abs().max().item()": "return ((turned - "
            "straight[permutation]).abs().max() / straight.abs().max()).item()",
        },
    ),
    "summed": (
        "The absolute differences were added up. The gap is the largest of them.",
        {
            ".max()": ".sum()",
        },
    ),
    "lengths-of-rows": (
        "The differences of a row were put together first, as its length, sum or mean, and the "
        "largest of these taken. The gap is the largest difference of single entries.",
        {
            ".abs().max()": ".norm(dim=-1).max()",
        },
        {".abs().max()": ".abs().sum(dim=-1).max()"},
        {".abs().max()": ".abs().mean(dim=-1).max()"},
    ),
    "yes-or-no": (
        "Only whether there is a difference comes back, as 0 or 1. The gap says how large it is.",
        {
            "return (turned - straight[permutation]).abs().max().item()": "return "
            "float((turned - straight[permutation]).abs().max().item() > 1e-5)",
        },
    ),
    "smallest": (
        "The smallest difference was taken. One row that differs is enough for a gap: it is "
        "the largest.",
        {
            ".max()": ".min()",
        },
    ),
    "of-the-means": (
        "The means of both results were compared. A mean forgets the order: compare row by "
        "row, and take the largest difference.",
        {
            "return (turned - straight[permutation]).abs().max().item()": "return "
            "(turned.mean() - straight.mean()).abs().item()",
        },
    ),
    "one-row": (
        "Only one row of each result was compared, such as the first. Every row counts: the gap "
        "is the largest difference of all.",
        {
            "return (turned - straight[permutation]).abs().max().item()": "return (turned - "
            "straight[permutation])[0].abs().max().item()",
        },
        {
            "return (turned - straight[permutation]).abs().max().item()": "return (turned - "
            "straight[permutation])[-1].abs().max().item()",
        },
    ),
    "both-reordered": (
        "The rows are put in another order on both ways before the layer, and on one of them "
        "after it, too. One way goes through the layer first.",
        {
            "layer(x[permutation]), layer(x)": "layer(x[permutation]), layer(x[permutation])",
        },
    ),
    "input-unordered": (
        "The rows go through the layer in their first order on both ways, so the gap is about "
        "the order alone. On one way they are put in another order before the layer.",
        {
            "layer(x[permutation]), layer(x)": "layer(x), layer(x)",
        },
    ),
    "columns-too": (
        "Where the result has as many columns as rows, its columns are put in another order as "
        "well, as those of a table of attention weights would be. The permutation is of "
        "positions: it goes to the rows alone.",
        {
            "straight[permutation]": (
                "(straight[permutation][:, permutation] if len(straight) == straight.shape[-1] "
                "else straight[permutation])"
            ),
        },
    ),
    "always-first": (
        "The first element is taken of whatever the layer returns. Of a plain tensor that is "
        "its first row alone: only a tuple is judged by its first element.",
        {
            "if isinstance(straight, tuple):": "if not isinstance(straight, tuple):\n    "
            "return (turned[0] - straight[permutation][0]).abs().max().item()\nif True:",
        },
        {
            "if isinstance(straight, tuple):": "if not isinstance(straight, tuple):\n    "
            "return (turned[0] - straight[0]).abs().max().item()\nif True:",
        },
        {"if isinstance(straight, tuple):": "if True:"},
    ),
}


prediction(
    "weight-of-was",
    chapter="05-self-attention",
    question=(
        "In 'the river bank was dirty' the word 'was' asks, with the query (0, 0). How much weight "
        "does it give to 'river'?"
    ),
    right=0.2,
    options={
        0.2: (
            "All five scores are 0, so all five weights are the same. A query of zeros asks for "
            "nothing, and gets the plain average, chapter 1's bag of words."
        ),
        0.0: "This is the score. Its exponential is 1, and so are the four others.",
        0.34: (
            "That is the weight that 'bank' gives 'river'. Another query has different scores with "
            "the same keys."
        ),
        0.08: "That is the weight that 'bank' gives 'was'. Here 'was' is the one that asks.",
    },
    again={
        "numbers": {"n": (4, 8, 10, 20)},
        "question": (
            "A sentence has {n} words, and one of them asks with a query of zeros. How much weight"
            " does it give to the first word?"
        ),
        "right": "1 / n",
        "options": {
            "1 / n": "All {n} scores are 0, so all {n} weights are the same.",
            "0.0": "This is the score. Its exponential is 1, and so are all the others.",
            "1.0": "The weights of all {n} words sum to 1, and no score is above the others.",
            "0.5": "That would be so with two words. All {n} scores are the same.",
        },
    },
)

prediction(
    "gap-of-zero",
    chapter="05-self-attention",
    question=(
        "Self-attention, a linear layer applied to each row, and a running sum: whose gap is 0?"
    ),
    right="That of self-attention and of the linear layer.",
    options={
        "That of self-attention alone.": (
            "It is 0 there. But a layer that treats each row by itself cannot see the order either."
        ),
        "That of self-attention and of the linear layer.": (
            "The one sees all rows but no order; the other sees only one row at a time. In a "
            "running sum each row depends on which ones stood before it."
        ),
        "That of all three: each of them only adds up.": (
            "The last row of a running sum is the same in any order. The rows before it are not."
        ),
    },
)
