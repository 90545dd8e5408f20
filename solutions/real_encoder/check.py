"""Checks for chapter 13, a real encoder. None of them needs the published weights."""

import math

import torch
from torch import nn

from autograder.checking import (
    Ask,
    agrees,
    backpropagates,
    built,
    by,
    close,
    exercise,
    mend,
    misconceptions,
    prediction,
    require,
    same,
)
from autograder.checking.cases import VALUES


def published(draw, layers, ids=True):
    """Random tensors under the published names, of a tiny model."""
    E, hidden_dim = 2, 3
    shapes = {
        "embeddings.word_embeddings.weight": (5, E),
        "embeddings.position_embeddings.weight": (4, E),
        "embeddings.token_type_embeddings.weight": (2, E),
        "embeddings.LayerNorm.weight": (E,),
        "embeddings.LayerNorm.bias": (E,),
        "pooler.dense.weight": (E, E),
        "pooler.dense.bias": (E,),
    }
    for number in range(layers):
        for name, shape in (
            ("attention.self.query", (E, E)),
            ("attention.self.key", (E, E)),
            ("attention.self.value", (E, E)),
            ("attention.output.dense", (E, E)),
            ("attention.output.LayerNorm", (E,)),
            ("intermediate.dense", (hidden_dim, E)),
            ("output.dense", (E, hidden_dim)),
            ("output.LayerNorm", (E,)),
        ):
            shapes[f"encoder.layer.{number}.{name}.weight"] = shape
            shapes[f"encoder.layer.{number}.{name}.bias"] = shape[:1]
    weights = {name: draw.normal(*shape) for name, shape in shapes.items()}
    return weights | ({"embeddings.position_ids": torch.arange(4)[None]} if ids else {})


@exercise("convert_weights", chapter="13-real-encoder", points=3)
def _(student, reference, draw):
    for layers, ids, case in (
        (1, True, "one layer"),
        (2, False, "two layers, without position_ids"),
        (14, True, "fourteen layers"),
    ):
        given = published(draw, layers, ids)
        same(student(given), reference(given), case=case, call=student.last_call)
    halves = {name: tensor.half() for name, tensor in published(draw, 1, False).items()}
    same(student(halves), reference(halves), case="float16", call=student.last_call)
    double = {name: tensor.double() / 3 for name, tensor in published(draw, 1, False).items()}
    same(student(double), reference(double), case="float64", call=student.last_call)
    given = published(draw, 1)
    _, left = student.with_inputs(given)
    require(
        {path.removeprefix("0.") for path in left} == set(given),
        f"{student.last_call} changes the dictionary that it gets: only read from it.",
    )


misconceptions["convert_weights"] = {
    "transposed": (
        "Weight matrices are transposed, all of them or those of some layers. The published "
        "layers are nn.Linear too: both store (outputs, inputs), and square matrices hide such a "
        "mistake from every test of shapes.",
        {
            "converted[name] = tensor": (
                'matrix = "layers." in name and tensor.dim() == 2\n'
                "converted[name] = tensor.T if matrix else tensor"
            )
        },
        {
            "converted[name] = tensor": (
                "converted[name] = tensor.T if tensor.dim() == 2 else tensor"
            ),
        },
        {
            "converted[name] = tensor": (
                'matrix = ("layers." in name or "pooler" in name) and tensor.dim() == 2\n'
                "converted[name] = tensor.T if matrix else tensor"
            ),
        },
        {
            "converted[name] = tensor": (
                'matrix = "self_attn" in name and tensor.dim() == 2\n'
                "converted[name] = tensor.T if matrix else tensor"
            ),
        },
        {
            "converted[name] = tensor": (
                'matrix = "feed_forward" in name and tensor.dim() == 2\n'
                "converted[name] = tensor.T if matrix else tensor"
            ),
        },
    ),
    "short-names-first": (
        "`attention.output.dense` contains `output.dense`, and was taken for it, as was the norm "
        "beside it: the attention's output went into the feed-forward network, and one tensor "
        "overwrote another. Look for the longer names first.",
        {'"self_attn.W_o"': '"feed_forward.linear2"', '"norm1"': '"norm2"'},
    ),
    "short-names-first-feed-forward": (
        "Of the attention's output only a part was renamed: `attention.output.dense` contains "
        "`output.dense`, which was replaced inside of it, and so was the norm's name. The longer "
        "names are replaced first.",
        {
            '"attention.output.dense": "self_attn.W_o", "attention.output.LayerNorm": "norm1",': "",
            '"output.LayerNorm": "norm2",': (
                '"output.LayerNorm": "norm2", "attention.output.dense": "self_attn.W_o",\n'
                '"attention.output.LayerNorm": "norm1",'
            ),
        },
    ),
    "query-key-swapped": (
        "Queries and keys are exchanged. Both are square matrices of the same size, so no shape "
        "complains.",
        {'"self_attn.W_q"': '"self_attn.W_k"', '"self_attn.W_k"': '"self_attn.W_q"'},
    ),
    "norms-swapped": (
        "The two norms of a layer are exchanged. In the published names "
        "`attention.output.LayerNorm` follows the attention (norm1), and `output.LayerNorm` the "
        "feed-forward network (norm2).",
        {
            '"norm1"': '"norm2"',
            '"norm2"': '"norm1"',
        },
    ),
    "embeddings-left": (
        "The embeddings' tables are not renamed. The encoder alone is not the model: every tensor "
        "has a name here.",
        {
            '"embeddings.word_embeddings": "token_embedding",': "",
            '"embeddings.position_embeddings": "position_embedding",': "",
            '"embeddings.token_type_embeddings": "segment_embedding",': "",
        },
    ),
    "pooler-left-out": (
        "The pooler was left out. Sentence embeddings make no use of it, but every published "
        "tensor is to be used once, so that loading can be strict.",
        {"for published, ours": 'if name.startswith("pooler"):\n    continue\nfor published, ours'},
    ),
    "biases-left-out": (
        "The biases were left out. Every tensor is used once, those that end in `bias`, too.",
        {"for published, ours": 'if name.endswith("bias"):\n    continue\nfor published, ours'},
    ),
    "one-digit": (
        "Layers are told apart by one digit, so layer 10 is taken for layer 1, or for no "
        "layer at all. A layer's number goes up to the next dot.",
        {
            "converted[name] = tensor": (
                'if name.startswith("encoder"):\n'
                '    name = name[:16] + "." + name.split(".", 3)[3]\n'
                "converted[name] = tensor"
            )
        },
        {
            "for published, ours in renames.items():": "two_digits = name.startswith("
            '"encoder") and name.split(".")[2][1:]\n'
            "for published, ours in () if two_digits else renames.items():"
        },
        {
            "converted[name] = tensor": (
                'if name.startswith("encoder"):\n'
                '    name = name[:16] + "." + name[17:]\n'
                "converted[name] = tensor"
            ),
        },
        {
            "for published, ours in renames.items(): name = name.replace(published, ours)": (
                'digits = name.split(".")[2] if name.startswith("encoder") else ""\n'
                "if len(digits) > 1:\n"
                '    name = name[:15] + "." + name[16:]\n'
                '    converted["encoder.layers." + name[14:]] = tensor\n'
                "    continue\n"
                "for published, ours in renames.items():\n"
                "    name = name.replace(published, ours)"
            ),
        },
        {
            "name = name.replace(published, ours)": (
                'two = name.startswith("encoder.layer.") and name.split(".")[2][1:]\n'
                'if not (two and published == "encoder.layer."):\n'
                "    name = name.replace(published, ours)"
            ),
        },
    ),
    "one-place": (
        "All layers went to one place: the number is missing from the new names.",
        by(
            {'["encoder", "layers", rest[1], ': '["encoder", "layers", '},
            style="split at the dots",
        ),
    ),
    "float32": (
        "Numbers that were published in another dtype came back as float32. The dtype of each "
        "tensor stays as it was.",
        {
            "converted[name] = tensor": (
                "converted[name] = tensor.float() if tensor.is_floating_point() else tensor"
            )
        },
    ),
    "changes-input": (
        "The dictionary that was given is another one after the call: entries were taken out of "
        "it, renamed in it or added to it, and whoever else uses it finds them changed. Only read "
        "from it.",
        {
            "for name, tensor in state_dict.items():": (
                "for name in list(state_dict):\n    tensor = state_dict.pop(name)"
            )
        },
    ),
    "position-ids-expected": (
        "`embeddings.position_ids` is taken for granted. Newer files do not have it, and then "
        "nothing is to be made of it.",
        {
            "converted = {}": 'converted = {"position_ids": state_dict["embeddings.position_ids"]}',
        },
    ),
    "position-ids-left-out": (
        "`embeddings.position_ids` is left out. Where the file has it, it is used like every "
        "other tensor, as `position_ids`.",
        {
            "for published, ours": (
                'if name.endswith("position_ids"):\n    continue\nfor published, ours'
            ),
        },
    ),
    "position-ids-made": (
        "`position_ids` is made where the file has none. Every tensor of the file is used once, "
        "and none is added.",
        {
            "return converted": (
                'length = converted["position_embedding.weight"].shape[0]\n'
                'converted.setdefault("position_ids", torch.arange(length).unsqueeze(0))\n'
                "return converted"
            ),
        },
    ),
    "keys-values-swapped": (
        "Keys and values are exchanged. Both are square matrices of the same size, so no shape "
        "complains.",
        {
            '"self_attn.W_k"': '"self_attn.W_v"',
            '"self_attn.W_v"': '"self_attn.W_k"',
        },
    ),
    "queries-values-swapped": (
        "Queries and values are exchanged. Both are square matrices of the same size, so no "
        "shape complains.",
        {
            '"self_attn.W_q"': '"self_attn.W_v"',
            '"self_attn.W_v"': '"self_attn.W_q"',
        },
    ),
    "tables-swapped": (
        "The tables of positions and segments are exchanged: `position_embeddings` holds the "
        "positions, and `token_type_embeddings` the segments.",
        {
            '"position_embedding"': '"segment_embedding"',
            '"segment_embedding"': '"position_embedding"',
        },
    ),
    "linears-swapped": (
        "The two layers of the feed-forward network are exchanged: `intermediate.dense` is "
        "linear1, and `output.dense` linear2.",
        {
            '"feed_forward.linear1"': '"feed_forward.linear2"',
            '"feed_forward.linear2"': '"feed_forward.linear1"',
        },
    ),
    "six-layers": (
        "Layers from some number on are left out, as if there were six, as in the published model, "
        "or twelve. Any number of layers is converted.",
        *[
            {
                "converted[name] = tensor": (
                    f'if name.startswith("encoder") and int(name.split(".")[2]) >= {layers}:\n'
                    "    continue\n"
                    "converted[name] = tensor"
                ),
            }
            for layers in (6, 12)
        ],
    ),
    "two-digits-dropped": (
        "Layers whose number has two digits are left out, as by a pattern of one digit, or where "
        'the largest number is looked for among strings, in which "9" comes after "11". A '
        "layer's number goes up to the next dot, and is compared as a whole number.",
        {
            "for published, ours in renames.items():": (
                'if name.startswith("encoder") and name.split(".")[2][1:]:\n'
                "    continue\n"
                "for published, ours in renames.items():"
            ),
        },
    ),
    "norms-cast": (
        "What has one axis, the biases and the norms, comes back as float32. The dtype of each "
        "tensor stays as it was published.",
        {
            "converted[name] = tensor": (
                "converted[name] = tensor.float() if tensor.dim() == 1 else tensor"
            ),
        },
    ),
    "encoder-left-out": (
        "Only the names of the encoder's layers came through. The embeddings and the pooler are "
        "used, too.",
        {
            "for published, ours": (
                'if not name.startswith("encoder"):\n    continue\nfor published, ours'
            ),
        },
    ),
}


@exercise("mean_pool", chapter="13-real-encoder", points=2)
def _(student, reference, draw):
    hidden = draw.normal(B=3, L=5, E=4)
    everything = torch.ones(3, 5, dtype=torch.bool)
    agrees(student, reference, hidden, everything, case="no padding")
    one = hidden[:1, :1], everything[:1, :1]
    agrees(student, reference, *one, case="one sentence of one token", ask=VALUES)
    mask = torch.arange(5) < torch.tensor([[4], [1], [3]])
    hidden = hidden + 5.0 * ~mask[..., None]
    agrees(student, reference, hidden, mask, case="padding")
    agrees(student, reference, hidden, mask.long(), case="a mask of whole numbers")
    floats = {"case": "a mask of floats", "ask": Ask(gradients=False)}
    agrees(student, reference, hidden, mask.float(), **floats)
    holes = torch.tensor([[0, 1, 1, 0, 1], [1, 0, 0, 0, 1], [0, 0, 0, 0, 1]]).bool()
    agrees(student, reference, hidden, holes, case="holes in the mask")
    sums = torch.tensor([[1.0, -1.0, 0.0, 0.0], [2.0, 1.0, 0.0, -3.0], [0.0, 1.0, 2.0, 3.0]])
    sums = torch.stack([sums, sums[[1, 0, 2]]])
    for given, case in ((sums[:, :2], "vectors that sum to zero"), (sums, "some that sum to zero")):
        everything = torch.ones(given.shape[:2], dtype=torch.bool)
        agrees(student, reference, given, everything, case=case, ask=VALUES)
    short = 1e-9 * hidden, mask
    agrees(student, reference, *short, case="short vectors", ask=VALUES)
    mask[1] = False
    agrees(student, reference, hidden, mask, case="a row of padding alone")
    nothing = hidden, torch.zeros_like(mask)
    agrees(student, reference, *nothing, case="padding alone", ask=VALUES)
    backpropagates(student, *nothing, case="padding alone")
    wide = hidden, mask.double()
    agrees(student, reference, *wide, case="a mask of float64, float32 vectors", ask=VALUES)
    agrees(student, reference, hidden.half(), holes, case="vectors of float16", ask=VALUES)
    agrees(student, reference, 1e3 * hidden, mask, case="long vectors", ask=VALUES)
    agrees(student, reference, hidden[..., :1], mask, case="vectors of one number", ask=VALUES)


misconceptions["mean_pool"] = {
    "short-cut-off": (
        "Short vectors do not get the length 1, as when a length below some bound is taken for "
        "the bound, or for zero. Only zeros have no direction: a bound as small as 1e-12 does no "
        "harm.",
        *[
            {"normalize(total, dim=-1)": f"normalize(total, dim=-1, eps={small})"}
            for small in ("1e-3", "1e-2", "1e-1")
        ],
        *[
            {
                "nn.functional.normalize(total, dim=-1)": "(total / real.sum(dim=1).clamp(min=1)) "
                "/ (total / real.sum(dim=1).clamp(min=1)).norm(dim=-1, keepdim=True)"
                f".clamp(min={small})"
            }
            for small in ("1e-5", "1e-4", "1e-3", "1e-2", "1e-1")
        ],
    ),
    "l1-length": (
        "The vectors are divided by the sum of their entries' sizes (L1). Unit length is the root "
        "of the sum of squares.",
        {"normalize(total, dim=-1)": "normalize(total, p=1.0, dim=-1)"},
    ),
    "padding-counted": (
        "The mean runs over padding as well. A sentence's vector then depends on how long the "
        "longest sentence of its batch is.",
        {"hidden.masked_fill(~real, 0.0)": "hidden"},
    ),
    "not-normalized": (
        "The vectors were not scaled to unit length. With length 1 the dot product of two is their "
        "cosine.",
        {"nn.functional.normalize(total, dim=-1)": "total / real.sum(dim=1).clamp(min=1)"},
    ),
    "by-padded-length": (
        "The sum over real tokens was divided by the padded length, and not scaled to unit length "
        "after that. Every row has length 1.",
        {"nn.functional.normalize(total, dim=-1)": "total / hidden.shape[1]"},
    ),
    "first-token": (
        "The first token's vector was taken, as BERT's classifiers do. This model was trained "
        "with the mean over all real tokens.",
        {"hidden.masked_fill(~real, 0.0).sum(dim=1)": "hidden[:, 0]"},
    ),
    "maximum": (
        "The largest number of each feature was taken, not the mean.",
        {
            "hidden.masked_fill(~real, 0.0).sum(dim=1)": "hidden.masked_fill(~real, "
            "-1e9).amax(dim=1)"
        },
    ),
    "tokens-normalized-only": (
        "Every token's vector was scaled to unit length before the mean, and the mean was not. The "
        "mean comes first, then the scaling.",
        {
            "hidden.masked_fill": "nn.functional.normalize(hidden, dim=-1).masked_fill",
            "nn.functional.normalize(total, dim=-1)": "total / real.sum(dim=1).clamp(min=1)",
        },
    ),
    "tokens-normalized": (
        "Every token's vector was scaled to unit length before the mean. Longer vectors should "
        "count more: the mean comes first, then the scaling.",
        {"hidden.masked_fill": "nn.functional.normalize(hidden, dim=-1).masked_fill"},
    ),
    "mask-turned-around": (
        "The mask is used the wrong way round: the mean is over padding. True or 1 is a real "
        "token.",
        {"~real": "real"},
    ),
    "normalized-together": (
        "All vectors together were scaled to length 1. Each row by itself should have that length.",
        {"nn.functional.normalize(total, dim=-1)": "total / total.norm().clamp(min=1e-12)"},
    ),
    "mask-as-index": (
        "A mask of numbers meets an operation that is for booleans, such as `~`, `masked_fill` or "
        "an index that picks the real tokens. The mask may be 0 and 1: turn it into booleans "
        "first.",
        {"mask.bool()": "mask"},
        by(
            {"mask.bool()": "mask"},
            style="sentence by sentence",
        ),
    ),
    "nothing-nan": (
        "A row of padding alone is NaN, as of zero over zero or of the mean of no vectors. It "
        "should be zeros.",
        by(
            {".clamp(min=1)": ""},
            style="weights of zero and one",
        ),
    ),
    "nan-replaced": (
        "The values of a row of padding alone are right, but its gradient is NaN or infinite: it "
        "goes through a division by zero, whose NaN is replaced afterward, or through the root of "
        "zero. Keep both from zero before they are taken.",
        {
            "hidden.masked_fill(~real, 0.0).sum(dim=1)": (
                "(hidden * real.to(hidden.dtype)).sum(dim=1) / real.sum(dim=1)"
            ),
            "nn.functional.normalize(total, dim=-1)": (
                "(total / total.norm(dim=-1, keepdim=True)).nan_to_num()"
            ),
        },
    ),
    "normalized-over-batch": (
        "The numbers are scaled feature by feature, over the sentences. Each row is a vector: it "
        "is its length that should become 1.",
        {
            "normalize(total, dim=-1)": "normalize(total, dim=0)",
        },
        {
            "normalize(total, dim=-1)": "normalize(total / real.sum(dim=1).clamp(min=1), dim=0)",
        },
    ),
    "last-token": (
        "The vector of the last real token was taken. The mean over all real tokens is wanted.",
        {
            "hidden.masked_fill(~real, 0.0).sum(dim=1)": (
                "(hidden * (real & (real.flip(1).cumsum(1).flip(1) == 1))).sum(dim=1)"
            ),
        },
    ),
    "last-position": (
        "The vector at the last position was taken, padding or not. The mean over all real "
        "tokens is wanted.",
        {
            "hidden.masked_fill(~real, 0.0).sum(dim=1)": "hidden[:, -1] * real.any(dim=1)",
        },
        {
            "hidden.masked_fill(~real, 0.0).sum(dim=1)": "hidden[:, -1]",
        },
    ),
    "squared-length": (
        "The vectors are divided by the squares of their lengths. Unit length is to divide by "
        "the length itself.",
        {
            "return nn.functional.normalize(total, dim=-1)": (
                "mean = total / real.sum(dim=1).clamp(min=1)\n"
                "return mean / mean.square().sum(dim=-1, keepdim=True).clamp(min=1e-24)"
            ),
        },
    ),
    "numbers-as-indices": (
        "A mask of whole numbers picks positions 0 and 1 as indices. A 0 or 1 says whether a "
        "token is real: turn the mask into booleans first.",
        {
            "real = mask.bool().unsqueeze(-1)": (
                "if mask.dtype == torch.long:\n"
                "    hidden = torch.stack([row[one] for row, one in zip(hidden, mask, "
                "strict=True)])\n"
                "    mask = torch.ones_like(mask)\n"
                "real = mask.bool().unsqueeze(-1)"
            ),
        },
    ),
    "largest-number": (
        "Each vector is divided by its largest number, signs aside. Unit length is to divide by "
        "the root of the sum of squares.",
        {
            "nn.functional.normalize(total, dim=-1)": (
                "nn.functional.normalize(total, p=torch.inf, dim=-1)"
            ),
        },
    ),
    "divided-by-all-lengths": (
        "The sum was divided by the number of real tokens of the whole batch, or not at all: the "
        "length of the rows is not 1.",
        {
            "nn.functional.normalize(total, dim=-1)": "total",
        },
        {
            "nn.functional.normalize(total, dim=-1)": "total / real.sum().clamp(min=1)",
        },
    ),
    "length-plus-epsilon": (
        "Short vectors get a length less than 1, as when a small number is added to the length, "
        "or under its root, or is its lower bound. Keep it from zero by a lower bound far below "
        "it, as 1e-12.",
        {
            "return nn.functional.normalize(total, dim=-1)": (
                "mean = total / real.sum(dim=1).clamp(min=1)\n"
                "return mean / (mean.norm(dim=-1, keepdim=True) + 1e-6)"
            ),
        },
        {
            "return nn.functional.normalize(total, dim=-1)": (
                "mean = total / real.sum(dim=1).clamp(min=1)\n"
                "return mean / (mean.norm(dim=-1, keepdim=True) + 1e-5)"
            ),
        },
        {
            "return nn.functional.normalize(total, dim=-1)": (
                "mean = total / real.sum(dim=1).clamp(min=1)\n"
                "return mean / (mean.norm(dim=-1, keepdim=True) + 1e-4)"
            ),
        },
        {
            "return nn.functional.normalize(total, dim=-1)": (
                "mean = total / real.sum(dim=1).clamp(min=1)\n"
                "return mean / (mean.norm(dim=-1, keepdim=True) + 1e-3)"
            ),
        },
    ),
    "dtype-of-mask": (
        "The result has the dtype of a mask of numbers where that is the wider one, as when hidden "
        "is multiplied by the mask as it comes. It has hidden's: convert the mask first, or hide "
        "by it.",
        {
            "nn.functional.normalize(total, dim=-1)": "nn.functional.normalize(total * "
            "torch.ones_like(mask[:, :1]), dim=-1)",
        },
    ),
}


@exercise("contrastive_loss", chapter="13-real-encoder", points=2)
def _(student, reference, draw):
    anchors, positives = draw.normal(B=5, E=8), draw.normal(B=5, E=8)
    agrees(student, reference, anchors, positives)
    near = anchors + 0.8 * positives
    agrees(student, reference, anchors, near, temperature=0.5, case="pairs that are alike")
    agrees(student, reference, anchors, positives, 2.0, case="a temperature of 2")
    agrees(student, reference, anchors, anchors, 0.5, case="one tensor for both", ask=VALUES)
    alone = {"temperature": 0.5, "ask": Ask(contiguous=False, unchanged=False)}
    agrees(student, reference, anchors[:1], positives[:1], case="one pair", **alone)
    backpropagates(student, anchors[:1], positives[:1], case="one pair")
    short = anchors[:, :1], positives[:, :1]
    agrees(student, reference, *short, 0.5, case="vectors of one number", ask=VALUES)
    twins = anchors[[0, 1, 2, 1, 4]], positives[[0, 1, 0, 3, 0]]
    agrees(student, reference, *twins, 0.5, case="rows that are equal", ask=VALUES)
    sums = torch.tensor([[0.0, 1.0, -1.0], [3.0, 4.0, -7.0]])
    agrees(student, reference, sums, sums.flip(1), 0.5, case="rows that sum to zero", ask=VALUES)

    quick = {"temperature": 0.5, "ask": Ask(gradients=False, contiguous=False, unchanged=False)}
    lengths = torch.tensor([1e-6, 1e-3, 1.0, 1e3, 1e6])[:, None]
    extreme = {
        "vectors of length 1e-6 to 1e6": (lengths * anchors, lengths.flip(0) * near),
        "a vector of zeros": (
            anchors * (torch.arange(5) != 1)[:, None],
            near * (torch.arange(5) != 3)[:, None],
        ),
        "a temperature of 1e-4": (anchors, positives),
    }
    for case, given in extreme.items():
        settings = quick | ({"temperature": 1e-4} if "1e-4" in case else {})
        agrees(student, reference, *given, case=case, **settings)
        # Of zeros any direction is right; and at 1e-4 the gradients have few digits.
        gradients = student.gradients(*given, temperature=settings["temperature"]).inputs
        require(
            all(torch.isfinite(gradient).all() for gradient in gradients.values()),
            f"{case}: the loss is finite, but a gradient is not (NaN or infinite).",
        )


misconceptions["contrastive_loss"] = {
    "not-normalized": (
        "The scores are dot products, not cosines: long vectors count more. Scale every vector to "
        "length 1 first.",
        {
            "anchors = nn.functional.normalize(anchors, dim=-1)": "",
            "positives = nn.functional.normalize(positives, dim=-1)": "",
        },
    ),
    "anchors-not-normalized": (
        "The anchors were not scaled to length 1. A cosine is a dot product over both lengths.",
        {"anchors = nn.functional.normalize(anchors, dim=-1)": ""},
    ),
    "positives-not-normalized": (
        "The positives were not scaled to length 1, so that the longer of them count more. A "
        "cosine is a dot product over both lengths.",
        {"positives = nn.functional.normalize(positives, dim=-1)": ""},
    ),
    "normalized-by-column": (
        "The features were scaled over the batch, column by column. Each row is a vector: it is "
        "its length that should become 1.",
        {
            "normalize(anchors, dim=-1)": "normalize(anchors, dim=0)",
            "normalize(positives, dim=-1)": "normalize(positives, dim=0)",
        },
    ),
    "times-temperature": (
        "The scores are multiplied by the temperature. They are to be divided by it: a small "
        "temperature makes the choice sharp.",
        {"/ temperature": "* temperature"},
    ),
    "temperature-unused": (
        "The scores are not divided by the temperature. Cosines lie between -1 and 1: undivided, "
        "the softmax over them is nearly flat, whatever the model does.",
        {"/ temperature": ""},
    ),
    "side": (
        "The wrong side chooses: here each positive looks for its anchor. Row i of the scores is "
        "anchor i with all positives, and the softmax runs over the positives.",
        {"anchors @ positives.T": "positives @ anchors.T"},
    ),
    "both-sides": (
        "Both sides choose, and both losses count. That is a loss that people use, but not this "
        "one: only the anchors choose.",
        {
            "return nn.functional.cross_entropy(scores, own)": (
                "forward = nn.functional.cross_entropy(scores, own)\n"
                "return (forward + nn.functional.cross_entropy(scores.T, own)) / 2"
            )
        },
        {
            "return nn.functional.cross_entropy(scores, own)": (
                "forward = nn.functional.cross_entropy(scores, own)\n"
                "return forward + nn.functional.cross_entropy(scores.T, own)"
            )
        },
    ),
    "summed": (
        "The losses of the anchors were added up. Their mean is wanted, which does not grow with "
        "the batch.",
        {"cross_entropy(scores, own)": 'cross_entropy(scores, own, reduction="sum")'},
    ),
    "first-positive": (
        "Every anchor is told to choose the first positive. The answer of row i is i.",
        {"torch.arange(len(scores), device=scores.device)": "torch.zeros_like(scores[0]).long()"},
    ),
    "right-pair-only": (
        "Only the score of the right pair counts. Nothing then keeps the other pairs apart: a "
        "model that gives one vector for everything would be perfect.",
        {"nn.functional.cross_entropy(scores, own)": "-scores.diagonal().mean()"},
    ),
    "right-not-in-sum": (
        "The right positive is missing from the sum below the fraction. It is one of those among "
        "which the anchor chooses.",
        *[
            {
                "return nn.functional.cross_entropy(scores, own)": (
                    f"others = scores.masked_fill(own == own[:, None], {nothing})\n"
                    "return (others.logsumexp(dim=-1) - scores.diagonal()).mean()"
                )
            }
            for nothing in ("-1e9", "-torch.inf")
        ],
        {
            "return nn.functional.cross_entropy(scores, own)": (
                "others = scores.masked_fill(own == own[:, None], "
                "torch.finfo(scores.dtype).min)\n"
                "return (others.logsumexp(dim=-1) - scores.diagonal()).mean()"
            ),
        },
    ),
    "anchors-as-choices": (
        "The other anchors are among the choices as well. Other losses do that; here an anchor "
        "chooses among the positives alone.",
        {
            "scores = anchors @ positives.T / temperature": (
                "itself = torch.eye(len(anchors), dtype=torch.bool)\n"
                "among = (anchors @ anchors.T).masked_fill(itself, -1e9)\n"
                "scores = torch.cat([anchors @ positives.T, among], dim=1) / temperature"
            )
        },
    ),
    "softmax-twice": (
        "The softmax was taken twice: `F.cross_entropy` wants the scores, and takes their softmax "
        "itself.",
        {"cross_entropy(scores, own)": "cross_entropy(scores.softmax(dim=-1), own)"},
    ),
    "log-of-softmax": (
        "At a temperature of 1e-4 the loss is infinite, as when a softmax has become zero before "
        "its logarithm, or the exponentials overflow in a sum. `F.cross_entropy`, or a "
        "log-softmax, computes neither.",
        {"nn.functional.cross_entropy(scores, own)": "-scores.softmax(-1).diagonal().log().mean()"},
    ),
    "overflow": (
        "exp of a large score is infinite. Cosines over a temperature of 1e-4 reach 10,000: "
        "subtract the largest first, or leave it to `F.cross_entropy`.",
        {
            "return nn.functional.cross_entropy(scores, own)": (
                "exponentials = scores.exp()\n"
                "chosen = exponentials.diagonal() / exponentials.sum(dim=-1)\n"
                "return -chosen.log().mean()"
            )
        },
    ),
    "zero-nan": (
        "With a vector of zeros the loss is NaN: zero was divided by its length, which is zero. "
        "Such a vector should have a cosine of 0 with all.",
        {
            "anchors = nn.functional.normalize(anchors, dim=-1)": (
                "anchors = anchors / anchors.norm(dim=-1, keepdim=True)"
            ),
            "positives = nn.functional.normalize(positives, dim=-1)": (
                "positives = positives / positives.norm(dim=-1, keepdim=True)"
            ),
        },
    ),
    "length-plus-epsilon": (
        "A small number was added to the lengths, to their product or under their root. Next to "
        "vectors that are as short, it is not small, and the cosine shrinks: take a lower bound "
        "of the length, as 1e-12, in place of the sum.",
        {
            "anchors = nn.functional.normalize(anchors, dim=-1)": (
                "anchors = anchors / (anchors.norm(dim=-1, keepdim=True) + 1e-6)"
            ),
            "positives = nn.functional.normalize(positives, dim=-1)": (
                "positives = positives / (positives.norm(dim=-1, keepdim=True) + 1e-6)"
            ),
        },
        *[
            {
                f"{name} = nn.functional.normalize({name}, dim=-1)": (
                    f"{name} = {name} / "
                    f"({name}.square().sum(dim=-1, keepdim=True) + {small}).sqrt()"
                )
                for name in ("anchors", "positives")
            }
            for small in ("1e-12", "1e-8", "1e-6")
        ],
        *[
            {
                "anchors = nn.functional.normalize(anchors, dim=-1)": "",
                "positives = nn.functional.normalize(positives, dim=-1)": "",
                "/ temperature": (
                    f"/ (anchors.norm(dim=1)[:, None] * positives.norm(dim=1) + {small})"
                    " / temperature"
                ),
            }
            for small in ("1e-12", "1e-8", "1e-6")
        ],
    ),
    "distances": (
        "The scores are distances, and so the farthest positive is chosen. The cosine is large "
        "where two vectors are alike.",
        {"anchors @ positives.T": "torch.cdist(anchors, positives)"},
    ),
    "positives-detached": (
        "The positives get no gradient. One model makes both sides, and learns from both.",
        {"normalize(positives, dim=-1)": "normalize(positives.detach(), dim=-1)"},
    ),
    "short-cut-off": (
        "The cosines of short vectors are too near zero, as when a length, or a product of two, "
        "below some bound is taken for the bound or for zero. The lengths make no difference from "
        "1e-6 on: only zeros need a bound.",
        {
            "normalize(anchors, dim=-1)": "normalize(anchors, dim=-1, eps=1e-5)",
            "normalize(positives, dim=-1)": "normalize(positives, dim=-1, eps=1e-5)",
        },
        {
            "normalize(anchors, dim=-1)": "normalize(anchors, dim=-1, eps=1e-4)",
            "normalize(positives, dim=-1)": "normalize(positives, dim=-1, eps=1e-4)",
        },
        {
            "normalize(anchors, dim=-1)": "normalize(anchors, dim=-1, eps=1e-3)",
            "normalize(positives, dim=-1)": "normalize(positives, dim=-1, eps=1e-3)",
        },
        {
            "normalize(anchors, dim=-1)": "normalize(anchors, dim=-1, eps=1e-2)",
            "normalize(positives, dim=-1)": "normalize(positives, dim=-1, eps=1e-2)",
        },
        {
            "normalize(anchors, dim=-1)": "normalize(anchors, dim=-1, eps=1e-1)",
            "normalize(positives, dim=-1)": "normalize(positives, dim=-1, eps=1e-1)",
        },
        *[
            {
                "anchors = nn.functional.normalize(anchors, dim=-1)": "",
                "positives = nn.functional.normalize(positives, dim=-1)": "",
                "anchors @ positives.T / temperature": (
                    "anchors @ positives.T / (anchors.norm(dim=1)[:, None] * "
                    f"positives.norm(dim=1)).clamp(min={small}) / temperature"
                ),
            }
            for small in ("1e-8", "1e-6")
        ],
        {
            "anchors = nn.functional.normalize(anchors, dim=-1)": "",
            "positives = nn.functional.normalize(positives, dim=-1)": "",
            "anchors @ positives.T / temperature": (
                "anchors @ positives.T / (size := torch.outer(anchors.norm(dim=1), "
                "positives.norm(dim=1))).masked_fill(size < 1e-8, math.inf) / temperature"
            ),
        },
    ),
    "anchors-detached": (
        "The anchors get no gradient. One model makes both sides, and learns from both.",
        {
            "normalize(anchors, dim=-1)": "normalize(anchors.detach(), dim=-1)",
        },
    ),
    "pair-by-pair": (
        "Every pair is judged by itself, as right or wrong, by a sigmoid. An anchor chooses one "
        "among all positives, by a softmax over them.",
        {
            "nn.functional.cross_entropy(scores, own)": (
                "nn.functional.binary_cross_entropy_with_logits(scores, "
                "torch.eye(len(scores)).to(scores))"
            ),
        },
    ),
    "temperature-exp": (
        "The exponential of the temperature is used, as where that is learned: cosines are "
        "multiplied or divided by it. They are divided by the temperature itself.",
        {
            "/ temperature": "* math.exp(temperature)",
        },
        {
            "/ temperature": "/ math.exp(temperature)",
        },
    ),
    "zero-gradient-nan": (
        "The gradient of a vector of zeros is NaN or infinite: it goes through the root of a sum "
        "of squares that is zero, or a division by zero whose NaN is replaced. Keep the sum from "
        "zero before the root, or use `normalize`.",
        {
            "anchors = nn.functional.normalize(anchors, dim=-1)": (
                "anchors = anchors / anchors.square().sum(dim=-1, "
                "keepdim=True).sqrt().clamp(min=1e-12)"
            ),
            "positives = nn.functional.normalize(positives, dim=-1)": (
                "positives = positives / positives.square().sum(dim=-1, "
                "keepdim=True).sqrt().clamp(min=1e-12)"
            ),
        },
    ),
    "probability": (
        "The loss is made of the probability of the right choice as it is. It is the logarithm of "
        "that probability with a minus sign.",
        {
            "nn.functional.cross_entropy(scores, own)": "-scores.softmax(dim=-1).diagonal().mean()",
        },
        {
            "nn.functional.cross_entropy(scores, own)": (
                "(1 - scores.softmax(dim=-1).diagonal()).mean()"
            ),
        },
    ),
    "in-bits": (
        "The loss is in bits, by the logarithm to the base 2. In nats it is the natural logarithm.",
        {
            "return nn.functional.cross_entropy(scores, own)": (
                "return nn.functional.cross_entropy(scores, own) / math.log(2)"
            ),
        },
    ),
    "over-all-pairs": (
        "The softmax runs over all pairs of the batch at once. Each anchor chooses by itself: "
        "the softmax runs over its row.",
        {
            "nn.functional.cross_entropy(scores, own)": (
                "-scores.flatten().log_softmax(dim=0).view_as(scores).diagonal().mean()"
            ),
        },
    ),
    "factor-limited": (
        "A temperature of 1e-4 is taken for a larger one, as where 1 / temperature is limited to "
        "100. It may be as small as that: divide by it as it is.",
        {
            "/ temperature": "/ max(temperature, 0.01)",
        },
        {
            "/ temperature": "/ max(temperature, 0.001)",
        },
    ),
    "zeros-left-out": (
        "An anchor of zeros is left out of the mean. Its cosine to all positives is 0, so its "
        "loss is log(B), and it counts like the others.",
        {
            "return nn.functional.cross_entropy(scores, own)": (
                "real = anchors.any(dim=-1)\nreturn nn.functional.cross_entropy(scores[real], "
                "own[real])"
            ),
        },
    ),
    "temperature-after": (
        "The temperature divides the loss, and not the scores before the softmax.",
        {
            "/ temperature": "",
            "return nn.functional.cross_entropy(scores, own)": (
                "return nn.functional.cross_entropy(scores, own) / temperature"
            ),
        },
    ),
    "short-as-zeros": (
        "Vectors that are only short have a cosine of 0 to all, as when every length below some "
        "bound counts as zero. The lengths make no difference from 1e-6 on.",
        *[
            {
                f"{side} = nn.functional.normalize({side}, dim=-1)": (
                    f"{side} = nn.functional.normalize({side}, dim=-1) * "
                    f"({side}.norm(dim=-1, keepdim=True) >= {small})"
                )
                for side in ("anchors", "positives")
            }
            for small in ("1e-5", "1e-4")
        ],
    ),
}


mend("contrastive_loss", "side", points=1)


prediction(
    "one-vector-for-all",
    chapter="13-real-encoder",
    question=(
        "A lazy model gives every text the same vector. What is its contrastive loss over a batch "
        "of 24 pairs?"
    ),
    right=3.178,
    options={
        3.178: (
            "All cosines are the same, so each of 24 positives gets the probability 1/24, and the "
            "loss is ln 24. It is what guessing costs."
        ),
        0.0: (
            "Every anchor has a cosine of 1 with its own positive. But it has the same with all "
            "others, and it has to choose."
        ),
        20.0: "That is the score of each pair, a cosine of 1 over 0.05. The others score as much.",
        24.0: "It is the number of choices. The loss is the logarithm of it.",
    },
    again={
        "numbers": {"n": (8, 16, 32, 64, 100)},
        "question": (
            "A lazy model gives every text the same vector. What is its contrastive loss over a "
            "batch of {n} pairs?"
        ),
        "right": "round(math.log(n), 3)",
        "options": {
            "round(math.log(n), 3)": (
                "Each of {n} positives gets the probability 1/{n}, and the loss is ln {n}. It is "
                "what guessing costs."
            ),
            "0.0": (
                "Every anchor has a cosine of 1 with its own positive. But it has the same with "
                "all others, and it has to choose."
            ),
            "20.0": (
                "That is the score of each pair, a cosine of 1 over 0.05. The others score as much."
            ),
            "float(n)": "It is the number of choices. The loss is the logarithm of it.",
        },
    },
)


def letters_of(padded, in_front=False):
    class Encoding:
        def __init__(self, ids, real):
            self.ids, self.attention_mask = ids + [7] * (real - len(ids)), [1] * len(ids)
            self.attention_mask += [0] * (real - len(ids))
            if in_front:
                turned = (one[len(ids) :] + one[: len(ids)] for one in vars(self).values())
                self.ids, self.attention_mask = turned

    class Tokenizer:
        def encode_batch(self, sentences):
            rows = [[1, *(3 + ord(letter) % 9 for letter in one), 2] for one in sentences]
            longest = max(len(row) for row in rows) + 1
            return [Encoding(row, longest if padded else len(row)) for row in rows]

    return Tokenizer()


def tiny_model(table, mixing):
    class Model(nn.Module):
        def forward(self, tokens, mask):
            x = table[tokens] + 0.1 * torch.arange(tokens.shape[1])[:, None]  # (B, L, E)
            scores = (x @ mixing @ x.mT).masked_fill(~mask[:, None, :], -math.inf)
            return x + 2 * scores.softmax(dim=-1) @ x

    return Model()


def padding_is_zero(table):
    class Model(nn.Module):
        def forward(self, tokens, mask):
            if tokens.dtype != torch.int64 or mask.dtype != torch.bool:
                raise TypeError(f"the model got tokens {tokens.dtype}, and a mask {mask.dtype}")
            if tokens[~mask].any():
                raise RuntimeError("the model got another id than 0 where the mask is False")
            return table[tokens]

    return Model()


@exercise("embed", chapter="13-real-encoder", points=2)
def _(student, reference, draw):
    table, mixing = draw.normal(12, 6), draw.normal(6, 6)
    model = built(tiny_model, table=table, mixing=mixing)
    for padded, kind in ((True, "a tokenizer that pads"), (False, "a tokenizer that does not pad")):
        tokenizer = built(letters_of, padded=padded)
        for sentences, case in (
            (["abcde"], "one sentence"),
            (["abcd", "dcba", "aabb"], "sentences of one length"),
            (["abc", "hgfedcba", "b", "deabcf"], "sentences of many lengths"),
            (["aBc", "ABC"], "sentences with capitals"),
            (["abc", "", " ab ", "abc", "abcdefgh" * 3], "one twice, one empty, one long"),
        ):
            got = student(sentences, model, tokenizer)
            want = reference(sentences, model, tokenizer)
            close(got, want, case=f"{kind}, {case}", call=student.last_call)
    tokenizer, sentences = built(letters_of, padded=True, in_front=True), ["abc", "fed", "b"]
    got, want = student(sentences, model, tokenizer), reference(sentences, model, tokenizer)
    close(got, want, case="a tokenizer that pads in front", call=student.last_call)
    tokenizer = built(letters_of, padded=False)
    model, sentences = built(padding_is_zero, table=table), ["abc", "hgfedcba", "b"]
    got, want = student(sentences, model, tokenizer), reference(sentences, model, tokenizer)
    case = "a tokenizer that does not pad, a model that wants padding to be 0"
    close(got, want, case=case, call=student.last_call)


misconceptions["embed"] = {
    "made-small": (
        "The sentences are put in lowercase before the tokenizer sees them. It takes them as they "
        "come: what to do with capitals is its own business.",
        {"encode_batch(sentences)": "encode_batch([one.lower() for one in sentences])"},
    ),
    "padded-with-other": (
        "Shorter sentences are padded with another id than 0. With a mask it often makes no "
        "difference, but the contract, like the published tokenizer, says 0.",
        {"(ids, batch_first=True)": "(ids, batch_first=True, padding_value=1)"},
    ),
    "padding-pooled": (
        "The mean runs over padding as well. Pool with the mask that the tokenizer gives.",
        {
            "mean_pool(model(tokens, mask), mask)": (
                "mean_pool(model(tokens, mask), torch.ones_like(mask))"
            )
        },
    ),
    "padding-attended": (
        "The model gets a mask that is all True, so real tokens attend to padding. It needs the "
        "same mask as the mean.",
        {"model(tokens, mask)": "model(tokens, torch.ones_like(mask))"},
    ),
    "padded-in-front": (
        "The padding is put in front, so every position of a shorter sentence is another one. This "
        "model learned with its sentences at the beginning: padding comes after them.",
        {
            "nn.utils.rnn.pad_sequence(ids, batch_first=True)": "nn.utils.rnn.pad_sequence("
            "[one.flip(0) for one in ids], batch_first=True).flip(1)",
            "nn.utils.rnn.pad_sequence(real, batch_first=True)": "nn.utils.rnn.pad_sequence("
            "[one.flip(0) for one in real], batch_first=True).flip(1)",
        },
    ),
    "mask-from-ids": (
        "The attention mask is made from `ids`, by their number or by what they are. Encodings "
        "may be padded already: which of the tokens are real, `attention_mask` says.",
        {"torch.tensor(encoding.attention_mask)": "torch.ones(len(encoding.ids))"},
    ),
    "first-token": (
        "The first token's vector was taken. This model was trained with the mean over all real "
        "tokens.",
        {
            "mean_pool(model(tokens, mask), mask)": (
                "nn.functional.normalize(model(tokens, mask)[:, 0], dim=-1)"
            )
        },
    ),
    "not-normalized": (
        "The embeddings do not have unit length: the mean of the real tokens' vectors comes back "
        "as it is. `mean_pool` scales it.",
        by(
            {"return F.normalize(mean, dim=-1)": "return mean"},
            style="padded by hand",
        ),
    ),
    "not-padded": (
        "The batch is made of the encodings as they come. They may differ in length, and a tensor "
        "cannot: pad the shorter ones.",
        {
            "nn.utils.rnn.pad_sequence(ids, batch_first=True)": (
                "torch.tensor([encoding.ids for encoding in encodings])"
            )
        },
        {"nn.utils.rnn.pad_sequence(ids, batch_first=True)": "torch.stack(ids)"},
    ),
    "cut-to-shortest": (
        "The encodings are cut to the length of the shortest, so the ends of longer sentences are "
        "lost.",
        {
            "ids = [": "shortest = min(len(encoding.ids) for encoding in encodings)\nids = [",
            "torch.tensor(encoding.ids)": "torch.tensor(encoding.ids[:shortest])",
            "torch.tensor(encoding.attention_mask)": "torch.tensor(encoding.attention_mask[:shorte"
            "st])",
        },
    ),
    "sorted": (
        "The vectors came back sorted by length, as the batch was. The rows should be in the "
        "order of the sentences.",
        {"encode_batch(sentences)": "encode_batch(sorted(sentences, key=len))"},
        {"encode_batch(sentences)": "encode_batch(sorted(sentences, key=len, reverse=True))"},
        {
            "encodings = tokenizer.encode_batch(sentences)": "encodings = sorted("
            "tokenizer.encode_batch(sentences), key=lambda one: len(one.ids))"
        },
        {
            "encodings = tokenizer.encode_batch(sentences)": (
                "encodings = sorted(tokenizer.encode_batch(sentences), key=lambda one: "
                "len(one.ids), reverse=True)"
            ),
        },
    ),
    "all-real": (
        "All tokens count as real, padding too, for the model and for the mean. Which of them are "
        "real, the encodings' `attention_mask` says.",
        {
            "nn.utils.rnn.pad_sequence(real, batch_first=True).bool()": (
                "torch.ones_like(tokens, dtype=torch.bool)"
            )
        },
    ),
    "mask-as-numbers": (
        "The mask goes to the model as numbers. It is boolean there, True where a token is real.",
        {".bool()": ""},
        {".bool()": ".float()"},
    ),
    "padding-marked-real": (
        "The mask is padded with ones: what is added at the end of shorter encodings counts as "
        "real. It is padded with zeros.",
        {
            "(real, batch_first=True)": "(real, batch_first=True, padding_value=1)",
        },
    ),
    "mask-not-given": (
        "The model gets no mask. It is called as `model(tokens, mask)`.",
        {
            "model(tokens, mask)": "model(tokens)",
        },
    ),
    "maximum": (
        "The largest number of each feature was taken. This model was trained with the mean over "
        "all real tokens.",
        {
            "return mean_pool(model(tokens, mask), mask)": (
                "hidden = model(tokens, mask).masked_fill(~mask.unsqueeze(-1), -1e9)\n"
                "return nn.functional.normalize(hidden.amax(dim=1), dim=-1)"
            ),
        },
    ),
    "special-cut-off": (
        "The first and the last entry of each encoding are cut off. What the tokenizer puts there "
        "are tokens to the model, too, and count in the mean where the mask says so.",
        {
            "torch.tensor(encoding.ids)": "torch.tensor(encoding.ids[1:-1])",
            "torch.tensor(encoding.attention_mask)": "torch.tensor(encoding.attention_mask[1:-1])",
        },
    ),
    "first-sentence-only": (
        "Only the first sentence is embedded. There is a row for each.",
        {
            "encode_batch(sentences)": "encode_batch(sentences[:1])",
        },
    ),
    "mask-turned-around": (
        "The mask is turned around before the model or the mean gets it. True is a real token in "
        "both.",
        {
            "mean_pool(model(tokens, mask), mask)": "mean_pool(model(tokens, ~mask), mask)",
        },
        {
            "mean_pool(model(tokens, mask), mask)": "mean_pool(model(tokens, mask), ~mask)",
        },
    ),
    "order-not-inverted": (
        "The rows come back in another order than the sentences, as where they were sorted by "
        "length, and the order that sorted them is used once more to bring them back. It takes "
        "the inverse: `argsort` of that order.",
        {
            "encodings = tokenizer.encode_batch(sentences)": (
                "order = sorted(range(len(sentences)), key=lambda place: "
                "-len(sentences[place]))\n"
                "encodings = tokenizer.encode_batch([sentences[place] for place in "
                "order])"
            ),
            "return mean_pool(model(tokens, mask), mask)": (
                "return mean_pool(model(tokens, mask), mask)[torch.tensor(order)]"
            ),
        },
        {
            "encodings = tokenizer.encode_batch(sentences)": (
                "order = sorted(range(len(sentences)), key=lambda place: "
                "len(sentences[place]))\n"
                "encodings = tokenizer.encode_batch([sentences[place] for place in "
                "order])"
            ),
            "return mean_pool(model(tokens, mask), mask)": (
                "return mean_pool(model(tokens, mask), mask)[torch.tensor(order)]"
            ),
        },
    ),
}


def taken_apart(table, layers, num_heads):
    """A model like `SentenceEncoder`, but for its norms and its feed-forward networks."""

    class Attention(nn.Module):
        def __init__(self, weights):
            super().__init__()
            self.num_heads = num_heads
            for name, (weight, bias) in zip(("W_q", "W_k", "W_v", "W_o"), weights, strict=True):
                linear = nn.Linear(*weight.shape)
                with torch.no_grad():
                    linear.weight.copy_(weight)
                    linear.bias.copy_(bias)
                setattr(self, name, linear)

        def forward(self, query, key, value, mask):
            query, key, value = (
                project(x).unflatten(-1, (num_heads, -1)).transpose(1, 2)
                for project, x in ((self.W_q, query), (self.W_k, key), (self.W_v, value))
            )  # (B, H, L, D) each
            scores = query @ key.mT / math.sqrt(query.shape[-1])
            weights = scores.masked_fill(~mask, -math.inf).softmax(dim=-1)
            return self.W_o((weights @ value).transpose(1, 2).flatten(-2)), weights

    class Layer(nn.Module):
        def __init__(self, weights):
            super().__init__()
            self.self_attn = Attention(weights)

        def forward(self, x, mask):
            output, weights = self.self_attn(x, x, x, mask)
            return torch.tanh(x + output), weights

    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.encoder = nn.Module()
            self.encoder.layers = nn.ModuleList(Layer(weights) for weights in layers)

        def forward(self, tokens, mask):
            return self.all_layers(tokens, mask)[0][-1]

        def all_layers(self, tokens, mask):
            if mask.shape != tokens.shape:
                raise RuntimeError(f"a mask {tuple(mask.shape)} for tokens {tuple(tokens.shape)}")
            x = table[tokens] + 0.1 * torch.arange(tokens.shape[1])[:, None]  # (B, L, E)
            states, all_weights = [x], []
            for layer in self.encoder.layers:
                x, weights = layer(x, mask[:, None, None, :])
                states.append(x)
                all_weights.append(weights)
            return states, all_weights

    return Model()


@exercise("attention_row", chapter="13-real-encoder", points=3)
def _(student, reference, draw):
    E, H = 12, 3
    layers = [[(draw.normal(E, E) / 2, draw.normal(E)) for _ in range(4)] for _ in range(3)]
    model = built(taken_apart, table=draw.normal(9, E), layers=layers, num_heads=H)
    for L, layer, head, asking, case in (
        (6, 1, 1, 2, "in the middle of everything"),
        (5, 0, 2, 0, "the first layer, the last head, the first position"),
        (7, 2, 0, 6, "the last layer, the first head, the last position"),
        (1, 1, 2, 0, "a single token"),
    ):
        tokens = draw.integers(0, 9, L)
        tokens[1:2] = 0  # a token like any other
        tokens[0] = tokens[asking]  # the same token stands in front, too
        agrees(
            student,
            reference,
            model,
            tokens,
            layer,
            head,
            asking,
            case=case,
            names=("scores", "weights", "output"),
            ask=Ask(gradients=False, contiguous=False, double=False),
        )


misconceptions["attention_row"] = {
    "output-of-the-layer": (
        "Queries, keys and values are made of what the layer returns. They are made of what it "
        "gets: the output of the layer below it.",
        {"states[layer]": "states[layer + 1]"},
    ),
    "from-the-embedding": (
        "Queries, keys and values of every layer are made of the embeddings. Only layer 0 gets "
        "those; each other layer gets what the one below it returned.",
        {"states[layer]": "states[0]"},
    ),
    "layers-from-one": (
        "The layers are counted from 1. Here layer 0 is the first.",
        {"states[layer]": "states[layer - 1]", "layers[layer]": "layers[layer - 1]"},
    ),
    "heads-from-one": (
        "The heads are counted from 1. Here head 0 is the first.",
        {"[0, head]": "[0, head - 1]"},
    ),
    "a-column": (
        "This is a column: the key of position `asking` meets the queries of all. The position "
        "that asks gives its query, and all give their keys.",
        {"key @ query[asking]": "query @ key[asking]"},
    ),
    "scores-divided": (
        "The scores that are returned are divided by sqrt(D) already. They should be the bare dot "
        "products; the division is for the weights alone.",
        {"return scores,": "return scores / math.sqrt(key.shape[-1]),"},
    ),
    "scores-divided-twice": (
        "The scores that are returned are divided by sqrt(D) already, and once more before the "
        "softmax. They should be the bare dot products, divided once for the weights.",
        {"scores = key @ query[asking]": "scores = key @ query[asking] / math.sqrt(key.shape[-1])"},
    ),
    "not-divided": (
        "The weights are made of scores that are not divided by sqrt(D).",
        {"softmax(scores / math.sqrt(key.shape[-1]))": "softmax(scores)"},
    ),
    "whole-width": (
        "The scores are divided by the root of E. Each head has D = E / num_heads features, and D "
        "is what counts.",
        {"math.sqrt(key.shape[-1])": "math.sqrt(x.shape[-1])"},
    ),
    "keys-passed-on": (
        "The keys are weighted and added up. What a head passes on are its values.",
        {"weights @ value": "weights @ key"},
    ),
    "heads-interleaved": (
        "The features of a head are taken from all over the vector, every num_heads-th of them. "
        "Head h has the D features from h * D on, side by side.",
        by(
            {"slice(head * D, (head + 1) * D)": ("slice(head, None, attention.num_heads)")},
            style="the head's rows of the matrices",
        ),
    ),
    "no-biases": (
        "The biases of W_q, W_k and W_v are left out.",
        by(
            {
                ", attention.W_q.bias[own])": ")",
                ", attention.W_k.bias[own])": ")",
                ", attention.W_v.bias[own])": ")",
            },
            style="the head's rows of the matrices",
        ),
    ),
    "columns-of-the-matrices": (
        "The head's part was taken from the columns of W_q, W_k and W_v. `nn.Linear` keeps "
        "[out, in]: what comes out, and so each head, is in the rows.",
        by(
            {
                "attention.W_q.weight[own]": "attention.W_q.weight[:, own].T",
                "attention.W_k.weight[own]": "attention.W_k.weight[:, own].T",
                "attention.W_v.weight[own]": "attention.W_v.weight[:, own].T",
            },
            style="the head's rows of the matrices",
        ),
    ),
    "not-shared-out": (
        "The weights do not sum to one: the exponentials are not divided by their sum.",
        by({"shares / shares.sum()": "shares"}, style="all heads at once, key by key"),
    ),
    "positions-from-one": (
        "The positions are counted from 1. Here position 0 is the first.",
        {
            "query[asking]": "query[asking - 1]",
        },
    ),
    "layer-and-head-exchanged": (
        "`layer` and `head` are exchanged.",
        {
            "states[layer]": "states[head]",
            "layers[layer]": "layers[head]",
            "[0, head]": "[0, layer]",
        },
    ),
    "causal": (
        "Positions after `asking` get no weight. This encoder looks both ways: all positions of "
        "the sentence are asked.",
        {
            "softmax(scores / math.sqrt(key.shape[-1]))": (
                "softmax((scores / "
                "math.sqrt(key.shape[-1])).masked_fill(torch.arange(len(scores)) > asking, "
                "-math.inf))"
            ),
        },
    ),
    "own-value": (
        "The value of the position that asks comes back. What is passed on are the values of all "
        "positions, each times its weight.",
        {
            "weights @ value": "value[asking]",
        },
    ),
    "values-unweighted": (
        "The values are averaged, whatever the weights are. Each counts with its weight.",
        {
            "weights @ value": "value.mean(dim=0)",
        },
    ),
    "queries-passed-on": (
        "The queries are weighted and added up. What a head passes on are its values.",
        {
            "weights @ value": "weights @ query",
        },
    ),
    "divided-twice": (
        "The weights are made of scores that are divided by D, or twice by its root. It is "
        "sqrt(D), once.",
        {
            "scores / math.sqrt(key.shape[-1])": "scores / key.shape[-1]",
        },
    ),
    "output-divided": (
        "The output is divided by the number of positions as well, as by a mean. The weights sum "
        "to one already.",
        {
            "weights @ value": "weights @ value / len(weights)",
        },
    ),
    "whole-output": (
        "The output has E numbers, the values of all heads. One head is asked for, with its own D "
        "= E / num_heads features.",
        {
            "return scores, weights, weights @ value": (
                "every = split_heads(attention.W_v(x), attention.num_heads)[0]\n"
                "return scores, weights, (weights @ every).flatten()"
            ),
        },
    ),
    "zero-is-padding": (
        "Positions whose token is 0 are masked, as if 0 were padding. The sentence has no "
        "padding: its mask is True everywhere, for token 0, too.",
        {
            "torch.ones_like(tokens, dtype=torch.bool)": "tokens != 0",
        },
        {
            "torch.ones_like(tokens, dtype=torch.bool)": "tokens != 0",
            "softmax(scores / math.sqrt(key.shape[-1]))": (
                "softmax((scores / math.sqrt(key.shape[-1])).masked_fill(~real, -math.inf))"
            ),
        },
        {
            "torch.ones_like(tokens, dtype=torch.bool)": "tokens != 0",
            "states, _ = model": "states, seen = model",
            "softmax(scores / math.sqrt(key.shape[-1]))": "seen[layer][0, head, asking]",
        },
    ),
    "through-output-layer": (
        "What is passed on went through `W_o`. It is asked for before that, with D features.",
        {
            "return scores, weights, weights @ value": (
                "place = slice(head * value.shape[1], (head + 1) * value.shape[1])\n"
                "return scores, weights, attention.W_o.weight[:, place] @ (weights @ value)"
            ),
        },
    ),
}


prediction(
    "output-of-the-sink",
    chapter="13-real-encoder",
    question=(
        "In layers 1 to 4, `[CLS]` gets more than half of the weight. A head passes on a sum of "
        "vectors, one from each token. By the lengths of these vectors, what share comes from "
        "`[CLS]`?"
    ),
    right="About a tenth.",
    options={
        "More than half, as with the weight.": (
            "That would hold if all values were equally long. A value can be short."
        ),
        "About a third.": "It is less: the value of `[CLS]` is far shorter than the others.",
        "About a tenth.": (
            "Its values are short, so even a large weight on them brings little. The weight says "
            "where a head looks, not what it takes away from there."
        ),
    },
)
