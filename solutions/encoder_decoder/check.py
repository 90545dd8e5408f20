"""Checks for chapter 11, the full Transformer."""

import itertools
import math

import torch

from autograder.checking import (
    Ask,
    agrees,
    backpropagates,
    by,
    close,
    exercise,
    mend,
    misconceptions,
    portable,
    prediction,
    raises,
    require,
)
from autograder.checking.cases import VALUES
from autograder.checking.comparing import of_kind


def loaded(student, reference, draw, *arguments, **options):
    """Both layers with the same arguments and the same drawn weights."""
    mine, theirs = student(*arguments, **options), reference(*arguments, **options)
    weights = {name: 0.5 * draw.normal(*old.shape) for name, old in theirs.parameters().items()}
    mine.load(weights)
    theirs.load(weights)
    return mine, theirs


@exercise("CrossAttention", chapter="11-encoder-decoder", points=3)
def _(student, reference, draw):
    names = ("output", "weights")
    mine, theirs = loaded(student, reference, draw, 6, 2)
    x, memory = draw.normal(B=3, L=4, E=6), draw.normal(B=3, S=5, E=6)
    agrees(mine, theirs, x, memory, names=names)
    one = draw.normal(1, 1, 6), draw.normal(1, 7, 6)
    agrees(mine, theirs, *one, names=names, case="one query")
    mask = torch.arange(5) < torch.tensor([[5], [2], [4]])
    agrees(mine, theirs, x, memory, mask, names=names, case="padding")
    mask[1] = torch.tensor([False, True, False, False, True])
    agrees(mine, theirs, x, memory, mask, names=names, case="holes in the mask")
    mask[2] = False
    agrees(mine, theirs, x, memory, mask, names=names, case="a sentence of padding alone")
    nothing = torch.zeros_like(mask)
    agrees(mine, theirs, x, memory, nothing, names=names, case="padding alone", ask=VALUES)
    # Where a masked score is far larger than the others, the mask comes too late after softmax.
    large = {"case": "large x, and a mask", "rtol": 2e-3, "atol": 5e-3, "ask": VALUES}
    agrees(mine, theirs, 50 * x, memory, mask, names=names, **large)
    ends = torch.arange(5) < torch.tensor([[3], [1], [2]])
    case = "padding at every end"
    agrees(mine, theirs, x, memory, ends, names=names, case=case, ask=VALUES)
    mine, theirs = loaded(student, reference, draw, 12, 3)
    x, memory = draw.normal(B=2, L=5, E=12), draw.normal(B=2, S=5, E=12)
    mask = torch.tensor([[1, 1, 0, 0, 0], [1, 0, 1, 1, 1]]).bool()
    agrees(mine, theirs, x, memory, mask, names=names, case="as many queries as keys")
    agrees(mine, theirs, x, x, names=names, case="x is the memory, too", ask=VALUES)
    other = draw.normal(B=2, S=5, E=12)
    agrees(mine, theirs, x, other, names=names, case="another memory", ask=VALUES)
    agrees(mine, theirs, x, other[:, :1], names=names, case="a memory of one token", ask=VALUES)
    zeros = other * (torch.arange(5) != 1)[:, None]
    agrees(mine, theirs, x, zeros, names=names, case="zeros in the memory", ask=VALUES)
    mine, theirs = loaded(student, reference, draw, 6, 1)
    some = draw.normal(2, 3, 6), draw.normal(2, 4, 6)
    agrees(mine, theirs, *some, names=names, case="one head", ask=VALUES)


misconceptions["CrossAttention"] = {
    "values-by-key-layer": (
        "The values are made by `W_k` in place of `W_v`: what is found should be another view of "
        "the memory than what it is found by.",
        {"self.W_v(memory)": "self.W_k(memory)"},
    ),
    "mask-of-three-axes": (
        "The mask's sentences are lined up with the heads, as when it is (B, 1, S), which counts "
        "as (1, B, 1, S). It needs the shape (B, 1, 1, S): sentences first, then an axis for the "
        "heads and one for the queries.",
        {"memory_mask[:, None, None, :]": "memory_mask[:, None, :]"},
    ),
    "self-attention": (
        "The keys and values come from x, the decoder's own sequence: this is self-attention. "
        "Queries come from x, keys and values from the memory.",
        {
            "self.W_k(memory)": "self.W_k(x)",
            "self.W_v(memory)": "self.W_v(x)",
            "None if memory_mask is None else memory_mask[:, None, None, :]": "None",
        },
    ),
    "roles-exchanged": (
        "The roles are exchanged: the memory asks, and x is looked at. The decoder asks, so the "
        "queries come from x, and the output has x's length.",
        {
            "self.W_q(x)": "self.W_q(memory)",
            "self.W_k(memory)": "self.W_k(x)",
            "self.W_v(memory)": "self.W_v(x)",
            "None if memory_mask is None else memory_mask[:, None, None, :]": "None",
        },
        {
            "self.W_q(x)": "self.W_q(memory)",
            "self.W_k(memory)": "self.W_k(x)",
            "self.W_v(memory)": "self.W_v(x)",
        },
    ),
    "roles-exchanged-masked": (
        "The roles are exchanged, and the mask is on the queries: the memory asks, and x is "
        "looked at. The decoder asks, so the queries come from x, and the mask is for the keys.",
        {
            "self.W_q(x)": "self.W_q(memory)",
            "self.W_k(memory)": "self.W_k(x)",
            "self.W_v(memory)": "self.W_v(x)",
            "[:, None, None, :]": "[:, None, :, None]",
        },
    ),
    "values-from-x": (
        "The values come from x, the decoder's own sequence. What is looked up in the memory is "
        "to be taken from there: keys and values are made from the same.",
        {"self.W_v(memory)": "self.W_v(x)"},
    ),
    "keys-from-x": (
        "The keys come from x, the decoder's own sequence. It is the memory that is looked at: "
        "keys and values are made from it.",
        {"self.W_k(memory)": "self.W_k(x)"},
    ),
    "mask-on-queries": (
        "The mask is on the queries. It says which positions of the memory may be looked at: they "
        "are the last axis of the scores, (B, 1, 1, S).",
        {"[:, None, None, :]": "[:, None, :, None]"},
    ),
    "causal": (
        "There is a causal mask on the cross-attention. The source is complete before the first "
        "word is written: every target position may look at all of it.",
        {
            "None if memory_mask is None else memory_mask[:, None, None, :]": "torch.ones("
            "x.shape[1], memory.shape[1], dtype=torch.bool).tril()\n"
            "if memory_mask is not None:\n"
            "    mask = mask & memory_mask[:, None, None, :]"
        },
    ),
    "mask-unused": (
        "The memory mask has no effect, so padding of the source is attended to. Where it is "
        "False, the scores are to be -inf before the softmax.",
        {"None if memory_mask is None else memory_mask[:, None, None, :]": "None"},
    ),
    "mask-turned-around": (
        "The memory mask is used the wrong way round. True means that a position may be attended "
        "to (torch's `key_padding_mask` means the opposite).",
        {"else memory_mask": "else ~memory_mask"},
    ),
    "empty-row-nan": (
        "Where a sentence has no memory that may be attended to, the weights are NaN, as from a "
        "softmax of -inf alone or from zero over zero. Weights and heads should be zeros there.",
        by(
            {"softmax(scores)": "scores.softmax(dim=-1)"},
            within="scaled_dot_product_attention",
        ),
    ),
    "empty-row-uniform": (
        "Where a sentence has no memory that may be attended to, all weights are equal, as a "
        "large negative number in place of -inf makes them. Weights and heads should be zeros "
        "there.",
        by(
            {"-math.inf": "-1e30"},
            within="scaled_dot_product_attention",
        ),
    ),
    "masked-after-softmax": (
        "What may not be attended to gets no weight, but counts in the sum below the fraction, as "
        "when weights are set to zero after the softmax: the rest does not sum to one. The mask "
        "belongs before the softmax.",
        by(
            {
                "if mask is not None:": "if False:",
                "weights = "
                "softmax(scores)": "weights = softmax(scores) * (1 if mask is None else mask)",
            },
            within="scaled_dot_product_attention",
        ),
    ),
    "scaled-by-width": (
        "The scores are divided by the root of embed_dim. Each head's vectors have only embed_dim "
        "/ num_heads numbers, and the root of that is the scale.",
        by(
            {"* query.shape[-1] ** -0.5": "* x.shape[-1] ** -0.5"},
            style="einops and einsum",
        ),
    ),
    "output-unmixed": (
        "`W_o` is not applied: the heads stand side by side as they are. The output is what `W_o` "
        "makes of them.",
        {"self.W_o(merge_heads(heads))": "merge_heads(heads)"},
    ),
    "heads-averaged": (
        "The weights are averaged over the heads, as nn.MultiheadAttention does unless told "
        "otherwise. Each head's weights are wanted, (B, H, L, S).",
        {
            "self.W_o(merge_heads(heads)), weights": "self.W_o(merge_heads(heads)), "
            "weights.mean(dim=1)"
        },
    ),
    "empty-row-opened": (
        "Where memory_mask allows nothing, the weights are those without a mask: all of the "
        "memory is attended to. Weights and heads should be zeros there.",
        {
            "None if memory_mask is None else memory_mask[:, None, None, :]": (
                "None\n"
                "if memory_mask is not None:\n"
                "    allowed = memory_mask | ~memory_mask.any(dim=-1, keepdim=True)\n"
                "    mask = allowed[:, None, None, :]"
            ),
        },
    ),
    "empty-output-zero": (
        "Where memory_mask allows nothing, the output is zeros. The heads are zeros there, and "
        "`W_o` adds its bias to them.",
        {
            "return self.W_o(merge_heads(heads)), weights": (
                "output = self.W_o(merge_heads(heads))\n"
                "if memory_mask is not None:\n"
                "    output = output * memory_mask.any(dim=-1)[:, None, None]\n"
                "return output, weights"
            ),
        },
    ),
    "keys-by-query-layer": (
        "The keys are made by `W_q` in place of `W_k`. Each of the three has its own layer.",
        {
            "self.W_k(memory)": "self.W_q(memory)",
        },
    ),
    "queries-by-key-layer": (
        "The queries are made by `W_k` in place of `W_q`. Each of the three has its own layer.",
        {
            "self.W_q(x)": "self.W_k(x)",
        },
    ),
    "keys-by-value-layer": (
        "The keys are made by `W_v` in place of `W_k`. Each of the three has its own layer.",
        {
            "self.W_k(memory)": "self.W_v(memory)",
        },
    ),
    "layers-exchanged": (
        "`W_k` and `W_v` have changed places. Keys are made by `W_k`, and values by `W_v`.",
        {
            "self.W_k(memory)": "self.W_v(memory)",
            "self.W_v(memory)": "self.W_k(memory)",
        },
    ),
    "residual": (
        "x is added to the output. The residual connection is around this layer, in the block, "
        "not in it.",
        {
            "return self.W_o(merge_heads(heads)), weights": (
                "return x + self.W_o(merge_heads(heads)), weights"
            ),
        },
    ),
    "one-head": (
        "There is one head as wide as the whole vector. There should be num_heads of them, each "
        "with embed_dim / num_heads numbers.",
        {
            "self.num_heads = num_heads": "self.num_heads = 1",
        },
    ),
    "memory-appended": (
        "Keys and values are made from x, too, beside the memory: x is looked at in "
        "self-attention, not here.",
        {
            "query = split_heads": ("whole = torch.cat([x, memory], dim=1)\nquery = split_heads"),
            "self.W_k(memory)": "self.W_k(whole)",
            "self.W_v(memory)": "self.W_v(whole)",
            "None if memory_mask is None else memory_mask[:, None, None, :]": (
                "None\n"
                "if memory_mask is not None:\n"
                "    own = torch.ones(x.shape[:2], dtype=torch.bool)\n"
                "    mask = torch.cat([own, memory_mask], dim=1)[:, None, None, :]"
            ),
        },
    ),
    "mask-as-it-comes": (
        "memory_mask, (B, S), is lined up with (B, H, L, S) from the last axis on, so that its "
        "rows count as queries. It needs an axis for the heads and one for the queries, after the "
        "first: (B, 1, 1, S).",
        {"None if memory_mask is None else memory_mask[:, None, None, :]": "memory_mask"},
    ),
    "output-bias-repeated": (
        "The bias of `W_o` is added more than once, as where each head goes through its columns "
        "of `W_o` together with the bias, and the results are added up. Add it once.",
        {
            "self.W_o(merge_heads(heads))": (
                "self.W_o(merge_heads(heads)) + (self.num_heads - 1) * self.W_o.bias"
            ),
        },
        {
            "self.W_o(merge_heads(heads))": "self.W_o(merge_heads(heads)) + self.W_o.bias",
        },
    ),
    "query-scaled-early": (
        "The scaling leaves out the bias of `W_q`, as where x is divided before it goes through "
        "`W_q`. Divide what `W_q` returns, or the scores.",
        {
            "self.W_q(x)": (
                "self.W_q(x) + ((x.shape[-1] / self.num_heads) ** 0.5 - 1) * self.W_q.bias"
            ),
        },
        {
            "self.W_q(x)": (
                "self.W_q(x) + ((x.shape[-1] / self.num_heads) ** 0.25 - 1) * self.W_q.bias"
            ),
            "self.W_k(memory)": (
                "self.W_k(memory) + ((x.shape[-1] / self.num_heads) ** 0.25 - 1) * self.W_k.bias"
            ),
        },
    ),
    "memory-cut": (
        "The memory is cut by what memory_mask allows, so that the weights have fewer than S "
        "columns. Keep all S positions: where the mask is False, the weights are zeros.",
        {
            "query = split_heads(": (
                "if memory_mask is not None:\n"
                "    longest = max(1, int(memory_mask.sum(dim=1).max()))\n"
                "    memory, memory_mask = memory[:, :longest], memory_mask[:, :longest]\n"
                "query = split_heads("
            ),
        },
        {
            "query = split_heads(": (
                "if memory_mask is not None:\n"
                "    used = memory_mask.any(dim=0).nonzero()\n"
                "    longest = int(used.max()) + 1 if len(used) else 1\n"
                "    memory, memory_mask = memory[:, :longest], memory_mask[:, :longest]\n"
                "query = split_heads("
            ),
        },
        {
            "query = split_heads(": (
                "if memory_mask is not None and memory_mask.any():\n"
                "    longest = int(memory_mask.sum(dim=1).max())\n"
                "    memory, memory_mask = memory[:, :longest], memory_mask[:, :longest]\n"
                "query = split_heads("
            ),
        },
        {
            "query = split_heads(": (
                "if memory_mask is not None and memory_mask.any():\n"
                "    longest = int(memory_mask.any(dim=0).nonzero().max()) + 1\n"
                "    memory, memory_mask = memory[:, :longest], memory_mask[:, :longest]\n"
                "query = split_heads("
            ),
        },
    ),
}


@exercise(
    "DecoderBlock", chapter="11-encoder-decoder", points=4, forbidden=("TransformerDecoderLayer",)
)
def _(student, reference, draw):
    names = ("output", "cross_weights")
    x, memory = draw.normal(B=2, L=4, E=6), draw.normal(B=2, S=5, E=6)
    mask = torch.tensor([[1, 1, 1, 1, 0], [1, 1, 0, 0, 0]]).bool()
    nothing = torch.tensor([[1, 1, 1, 0, 0], [0, 0, 0, 0, 0]]).bool()
    for pre in (False, True):
        norm = "pre-norm" if pre else "post-norm"
        mine, theirs = loaded(student, reference, draw, 6, 2, 9, norm_first=pre)
        some = Ask(contiguous=False, double=False)
        agrees(mine, theirs, x, memory, names=names, case=norm, ask=some)
        agrees(mine, theirs, x, memory, mask, names=names, case=f"{norm}, padding")
        one = {"names": names, "case": f"{norm}, one position reads one"}
        agrees(mine, theirs, x[:1, :1], memory[:1, :1], **one, ask=VALUES)
        case = f"{norm}, x is the memory, too"
        agrees(mine, theirs, x, x, names=names, case=case, ask=VALUES)
        case = f"{norm}, padding in a source as long as the target"
        agrees(mine, theirs, x, memory[:, :4], mask[:, 1:], names=names, case=case, ask=VALUES)
        case = f"{norm}, a sentence of padding alone"
        agrees(mine, theirs, x, memory, nothing, names=names, case=case, ask=some)
        quick = {"names": names, "ask": VALUES}
        dark = torch.zeros_like(mask)
        agrees(mine, theirs, x, memory, dark, case=f"{norm}, padding alone", **quick)
        agrees(mine, theirs, x, memory, case=f"{norm}, no mask after a mask", **quick)

        mine, theirs = loaded(student, reference, draw, 6, 2, 9, dropout=1.0, norm_first=pre)
        mine.train(False)
        theirs.train(False)
        case = f"{norm}, dropout 1.0 in evaluation mode"
        close(mine(x, memory), theirs(x, memory), names=names, case=case, call=mine.last_call)
        mine.train()
        theirs.train()
        case = f"{norm}, dropout 1.0 in training: all three sublayers return zeros"
        got, want = mine(x, memory), theirs(x, memory)
        close(got, want, names=names, case=case, call=mine.last_call)
    mine, theirs = loaded(student, reference, draw, 6, 2, 9)
    case = "without naming dropout and norm_first"
    close(mine(x, memory), theirs(x, memory), names=names, case=case, call=mine.last_call)
    mine, theirs = loaded(student, reference, draw, 6, 2, 9, 0.0, True)
    case = "dropout and norm_first by position"
    close(mine(x, memory), theirs(x, memory), names=names, case=case, call=mine.last_call)
    got, want = mine(x, memory.flip(0)), theirs(x, memory.flip(0))
    close(got, want, names=names, case="another memory", call=mine.last_call)
    got, want = mine(x.flip(0, 1)[:, :2], memory), theirs(x.flip(0, 1)[:, :2], memory)
    close(got, want, names=names, case="a shorter x afterward", call=mine.last_call)
    longer = torch.cat([x, x.flip(1)], dim=1)
    got, want = mine(longer, memory), theirs(longer, memory)
    close(got, want, names=names, case="a longer x afterward", call=mine.last_call)

    # What is random comes last: a known mistake is recognized by what it answered before.
    parts = {"self-attention": 1.0, "cross-attention": 4.0, "feed-forward": 16.0}
    mine = student(1, 1, 1, dropout=0.25, norm_first=True)
    # What is dropped before the three, inside of them, or on the weights, changes what they return.
    read = 1 / (1 + math.exp(-1))  # by a query of 1, the share of a key of 1 beside one of 0
    inside = {"self_attn.W_v": 1.0, "multihead_attn.W_v": 2.0, "feed_forward.linear1": 4.0}
    asks = {"multihead_attn.W_q": 1.0, "multihead_attn.W_k": 1.0}
    after = {"self_attn.W_o": 1.0, "multihead_attn.W_o": 2.0 / read, "feed_forward.linear2": 4.0}
    factors = inside | asks | after
    weights = {name: torch.zeros(old.shape) for name, old in mine.parameters().items()}
    weights |= {f"{name}.weight": torch.full((1, 1), value) for name, value in factors.items()}
    weights |= {f"norm{number}.bias": torch.ones(1) for number in (1, 2, 3)}
    mine.load(weights)
    mine.train()
    memory = torch.tensor([1.0, 0.0]).expand(2000, 2)[..., None]
    added = mine(torch.ones(2000, 1, 1), memory)[0] - 1
    for kept in itertools.product((False, True), repeat=3):
        sizes = [value for value, here in zip(parts.values(), kept, strict=True) if here]
        what = [part for part, here in zip(parts, kept, strict=True) if here]
        share = 0.75 ** len(sizes) * 0.25 ** (3 - len(sizes))
        here = ((added - sum(sizes) / 0.75).abs() < 1e-3).double().mean().item()
        require(
            abs(here - share) < 6 * math.sqrt(share * (1 - share) / len(added)),
            f"In training with dropout=0.25, {share:.1%} of the entries should get "
            f"{' and '.join(what) or 'nothing'}, scaled by 1 / 0.75; it is {here:.1%}.",
        )
    mine = student(2, 1, 2, dropout=0.5, norm_first=True)
    nothing = {name: 0 * old for name, old in mine.parameters().items()}
    mine.train()
    for part, bias in zip(parts, (*list(after)[:2], "feed_forward.linear2"), strict=True):
        mine.load(nothing | {f"{bias}.bias": torch.ones(2)})
        kept = mine(torch.zeros(300, 1, 2), torch.zeros(300, 1, 2))[0].bool()
        require(
            bool((kept[..., 0] != kept[..., 1]).any()),
            f"In training with dropout=0.5, whole positions of {part} are dropped. Each entry is "
            "dropped by itself.",
        )
    # In post-norm, of two numbers only their order is left: what a part returns turns it around.
    mine = student(2, 1, 2, dropout=0.25)
    mine.train()
    ones = {f"norm{number}.weight": torch.ones(2) for number in (1, 2, 3)}
    first = torch.tensor([[10.0, 0.0], [0.0, 0.0]])  # what is read: the first number
    turned = torch.tensor([[-1.0, 0.0], [1.0, 0.0]])
    for part, (reads, writes) in zip(parts, zip(inside, after, strict=True), strict=True):
        here = {f"{reads}.weight": first, f"{writes}.weight": turned}
        mine.load(nothing | ones | here)
        pair = torch.tensor([1.0, -1.0]).expand(2000, 1, 2)
        output = mine(pair, pair)[0]
        left = (output[..., 0] > output[..., 1]).double().mean().item()
        require(
            abs(left - 1 / 16) < 6 * math.sqrt(1 / 16 * 15 / 16 / len(pair)),
            f"In training with dropout=0.25 and norm_first=False, {1 / 16:.1%} of the positions "
            f"should get nothing of what {part} returns, with two numbers each; it is {left:.1%}: "
            "each number is dropped by itself, and nothing but what the part returns.",
        )


misconceptions["DecoderBlock"] = {
    "cross-asks-the-input": (
        "The cross-attention asks with what the block was given. It should ask with what the "
        "self-attention has made of it: each part goes on where the one before it stopped.",
        {
            "mask = causal_mask": "given = x\nmask = causal_mask",
            "seen = self.norm2(x) if self.norm_first else x": "seen = self.norm2(given) if "
            "self.norm_first else given",
        },
    ),
    "memory-mask-on-target": (
        "The mask of the memory is put on the self-attention, too, where the target is as long as "
        "the source. `memory_mask` is about the memory; the target's own tokens are all real.",
        {
            "seen = self.norm1": "if memory_mask is not None and memory_mask.shape[1] == "
            "x.shape[1]:\n    mask = mask & memory_mask[:, None, None, :]\nseen = self.norm1"
        },
    ),
    "not-causal": (
        "The self-attention is not causal, so a position sees the target tokens that it is to "
        "predict.",
        {"seen, seen, seen, mask": "seen, seen, seen"},
    ),
    "diagonal-masked": (
        "The diagonal is masked too, so a position does not see its own token, and the first sees "
        "nothing. Position i attends to 0 to i, itself included.",
        {"mask = causal_mask(x.shape[1]).to(x.device)": "mask = causal_mask(x.shape[1]).tril(-1)"},
    ),
    "cross-causal": (
        "The cross-attention is causal as well. The source is known in full: only the "
        "self-attention must not look ahead.",
        by(
            {
                "None if memory_mask is None else memory_mask[:, None, None]": "torch.ones("
                "length, memory.size(1), dtype=torch.bool).tril()\n"
                "if memory_mask is not None:\n"
                "    allowed = allowed & memory_mask[:, None, None]"
            },
            style="two branches",
        ),
    ),
    "memory-mask-unused": (
        "`memory_mask` has no effect on the cross-attention, so padding of the source is attended "
        "to.",
        {"memory, memory_mask)": "memory)"},
    ),
    "memory-unused": (
        "The keys and values of the cross-attention come from the decoder's own x. They come from "
        "the memory, or the source is never seen.",
        by(
            {
                "norm2(x), memory, memory, allowed": "norm2(x), self.norm2(x), self.norm2(x), "
                "causal",
                "multihead_attn(x, memory, memory, allowed": "multihead_attn(x, x, x, causal",
            },
            style="two branches",
        ),
    ),
    "self-weights": (
        "The weights of the self-attention are returned. Those of the cross-attention are wanted.",
        {
            "attended, _ =": "attended, own_weights =",
            "return x, cross_weights": "return x, own_weights",
        },
    ),
    "norm-first-unused": (
        "The block is post-norm with norm_first=True, too. Then each norm stands before its "
        "sublayer, and the sum is not normalized.",
        {"self.norm_first = norm_first": "self.norm_first = False"},
    ),
    "always-pre-norm": (
        "The block is pre-norm with norm_first=False, too. Then each norm comes after the sum, as "
        "in the paper of 2017.",
        {"self.norm_first = norm_first": "self.norm_first = True"},
    ),
    "norm-first-turned-around": (
        "`norm_first` is used the wrong way round: with True the block is post-norm, with False "
        "pre-norm. With True each norm stands before its sublayer.",
        {"self.norm_first = norm_first": "self.norm_first = not norm_first"},
    ),
    "norms-exchanged": (
        "norm2 and norm3 are exchanged: norm2 belongs to the cross-attention, norm3 to the "
        "feed-forward.",
        {
            "seen = self.norm2": "seen = self.norm3",
            "x = self.norm2": "x = self.norm3",
            "seen = self.norm3": "seen = self.norm2",
            "x = self.norm3": "x = self.norm2",
        },
    ),
    "memory-normalized": (
        "With norm_first the memory is normalized too. It is used as it comes: norm2 is for x "
        "alone.",
        {"(seen, memory,": "(seen, self.norm2(memory) if self.norm_first else memory,"},
    ),
    "cross-first": (
        "The cross-attention comes before the self-attention. The decoder looks back over its own "
        "words first, and asks the source then.",
        by(
            {
                "self.norm1, lambda y: self.self_attn(y, y, y, mask)": "self.norm2, "
                "lambda y: self.multihead_attn(y, memory, memory_mask)",
                "self.norm2, lambda y: self.multihead_attn(y, memory, memory_mask)": "self.norm1, "
                "lambda y: self.self_attn(y, y, y, mask)",
                "kept[1]": "kept[0]",
            },
            style="a list of sublayers",
        ),
    ),
    "cross-residual-missing": (
        "The residual connection around the cross-attention is missing: what the cross-attention "
        "returns should be added to x.",
        {"memory_mask) x = x +": "memory_mask)\nx ="},
    ),
    "no-dropout": (
        "Nothing is dropped in training. What each of the three sublayers returns goes through "
        "dropout before it is added.",
        {"nn.Dropout(dropout)": "nn.Identity()"},
    ),
    "no-dropout-of-self-attention": (
        "What the self-attention returns is added without dropout. What each of the three "
        "sublayers returns goes through it first.",
        {"seen, mask) x = x + self.dropout(attended)": "seen, mask)\nx = x + attended"},
    ),
    "no-dropout-of-cross-attention": (
        "What the cross-attention returns is added without dropout. What each of the three "
        "sublayers returns goes through it first.",
        {"memory_mask) x = x + self.dropout(attended)": "memory_mask)\nx = x + attended"},
    ),
    "no-dropout-of-feed-forward": (
        "What the feed-forward network returns is added without dropout. What each of the three "
        "sublayers returns goes through it first.",
        {"self.dropout(self.feed_forward(seen))": "self.feed_forward(seen)"},
    ),
    "dropout-of-sum": (
        "Dropout also hits x itself, as when it stands after the sum. It is for what the "
        "sublayers return, and the residual path stays whole.",
        {
            "mask) x = x + self.dropout(attended)": "mask)\nx = self.dropout(x + attended)",
            "memory_mask) x = x + self.dropout(attended)": "memory_mask)\n"
            "x = self.dropout(x + attended)",
            "x + self.dropout(self.feed_forward(seen))": "self.dropout(x + "
            "self.feed_forward(seen))",
        },
    ),
    "norm-inside": (
        "In post-norm each norm stands on what a part returned, before it is added to x. It "
        "comes after the sum: norm(x + part(x)).",
        {
            "x = x + self.dropout(attended) if not self.norm_first: x = self.norm1(x)": (
                "x = x + (self.dropout(attended) if self.norm_first else "
                "self.norm1(self.dropout(attended)))"
            ),
            "x = x + self.dropout(attended) if not self.norm_first: x = self.norm2(x)": (
                "x = x + (self.dropout(attended) if self.norm_first else "
                "self.norm2(self.dropout(attended)))"
            ),
            (
                "x = x + self.dropout(self.feed_forward(seen)) if not self.norm_first: x = "
                "self.norm3(x)"
            ): (
                "made = self.dropout(self.feed_forward(seen))\n"
                "x = x + (made if self.norm_first else self.norm3(made))"
            ),
        },
    ),
    "no-residual": (
        "There is no residual connection: what each of the three returns should be added to x.",
        {
            "seen, mask) x = x + self.dropout(attended)": (
                "seen, mask)\nx = self.dropout(attended)"
            ),
            "memory_mask) x = x + self.dropout(attended)": (
                "memory_mask)\nx = self.dropout(attended)"
            ),
            "x + self.dropout(self.feed_forward(seen))": "self.dropout(self.feed_forward(seen))",
        },
    ),
    "self-residual-missing": (
        "The residual connection around the self-attention is missing: what the self-attention "
        "returns should be added to x.",
        {
            "seen, mask) x = x + self.dropout(attended)": (
                "seen, mask)\nx = self.dropout(attended)"
            ),
        },
    ),
    "feed-forward-residual-missing": (
        "The residual connection around the feed-forward network is missing: what it returns "
        "should be added to x.",
        {
            "x + self.dropout(self.feed_forward(seen))": "self.dropout(self.feed_forward(seen))",
        },
    ),
    "cross-added-to-input": (
        "What the cross-attention returns is added to what the block was given. It is added to "
        "what the self-attention has made of it.",
        {
            "mask = causal_mask": ("given = x\nmask = causal_mask"),
            "memory_mask) x = x + self.dropout(attended)": (
                "memory_mask)\nx = given + self.dropout(attended)"
            ),
        },
    ),
    "feed-forward-added-to-input": (
        "What the feed-forward network returns is added to what the block was given. It is added "
        "to what the two attentions have made of it.",
        {
            "mask = causal_mask": ("given = x\nmask = causal_mask"),
            "x + self.dropout(self.feed_forward(seen))": (
                "given + self.dropout(self.feed_forward(seen))"
            ),
        },
    ),
    "feed-forward-gets-input": (
        "The feed-forward network gets what the block was given. It gets what the two attentions "
        "have made of it.",
        {
            "mask = causal_mask": ("given = x\nmask = causal_mask"),
            "seen = self.norm3(x) if self.norm_first else x": (
                "seen = self.norm3(given) if self.norm_first else given"
            ),
        },
    ),
    "residual-after-norm": (
        "In pre-norm what a part returns is added to norm(x). It is added to x itself, so that "
        "one path through the block is free of norms.",
        {
            "seen, mask) x = x + self.dropout(attended)": (
                "seen, mask)\nx = seen + self.dropout(attended)"
            ),
            "memory_mask) x = x + self.dropout(attended)": (
                "memory_mask)\nx = seen + self.dropout(attended)"
            ),
            "x + self.dropout(self.feed_forward(seen))": (
                "seen + self.dropout(self.feed_forward(seen))"
            ),
        },
    ),
    "first-norm-missing": (
        "In pre-norm the self-attention gets x without a norm: norm1 is missing.",
        {
            "self.norm1(x) if self.norm_first else x": "x",
        },
    ),
    "second-norm-missing": (
        "In pre-norm the queries of the cross-attention are made from x without a norm: norm2 is "
        "missing.",
        {
            "self.norm2(x) if self.norm_first else x": "x",
        },
    ),
    "third-norm-missing": (
        "In pre-norm the feed-forward network gets x without a norm: norm3 is missing.",
        {
            "self.norm3(x) if self.norm_first else x": "x",
        },
    ),
    "first-sum-not-normalized": (
        "In post-norm the sum with what the self-attention returned is not normalized: norm1 is "
        "missing.",
        {
            "if not self.norm_first: x = self.norm1(x)": "",
        },
    ),
    "second-sum-not-normalized": (
        "In post-norm the sum with what the cross-attention returned is not normalized: norm2 is "
        "missing.",
        {
            "if not self.norm_first: x = self.norm2(x)": "",
        },
    ),
    "third-sum-not-normalized": (
        "In post-norm the sum with what the feed-forward network returned is not normalized: "
        "norm3 is missing.",
        {
            "if not self.norm_first: x = self.norm3(x)": "",
        },
    ),
    "both-norms": (
        "In pre-norm the sums are normalized as well, as in post-norm. In pre-norm each norm "
        "stands before its part, and nothing normalizes a sum.",
        {
            "if not self.norm_first: x = self.norm1(x)": "x = self.norm1(x)",
            "if not self.norm_first: x = self.norm2(x)": "x = self.norm2(x)",
            "if not self.norm_first: x = self.norm3(x)": "x = self.norm3(x)",
        },
    ),
    "one-norm": (
        "norm1 is used for all three. Each has its own: norm2 is for the cross-attention, norm3 "
        "for the feed-forward network.",
        {
            "self.norm2(x) if": "self.norm1(x) if",
            "x = self.norm2(x)": "x = self.norm1(x)",
            "self.norm3(x) if": "self.norm1(x) if",
            "x = self.norm3(x)": "x = self.norm1(x)",
        },
    ),
    "norm-shared": (
        "One norm is used for two of the three. norm1 is for the self-attention, norm2 for the "
        "cross-attention, norm3 for the feed-forward network.",
        {
            "self.norm2(x) if": "self.norm1(x) if",
            "x = self.norm2(x)": "x = self.norm1(x)",
        },
        {
            "self.norm3(x) if": "self.norm2(x) if",
            "x = self.norm3(x)": "x = self.norm2(x)",
        },
        {
            "self.norm2(x) if": "self.norm3(x) if",
            "x = self.norm2(x)": "x = self.norm3(x)",
        },
    ),
    "gelu": (
        "The feed-forward network has gelu. Here it is relu.",
        {
            "FeedForward(embed_dim, hidden_dim)": "FeedForward(embed_dim, hidden_dim, 'gelu')",
        },
    ),
    "dropout-in-evaluation": (
        "Dropout is applied in evaluation mode too. It is for training only.",
        {
            "seen, mask) x = x + self.dropout(attended)": (
                "seen, mask)\nx = x + nn.functional.dropout(attended, self.dropout.p)"
            ),
            "memory_mask) x = x + self.dropout(attended)": (
                "memory_mask)\nx = x + nn.functional.dropout(attended, self.dropout.p)"
            ),
            "self.dropout(self.feed_forward(seen))": (
                "nn.functional.dropout(self.feed_forward(seen), self.dropout.p)"
            ),
        },
    ),
    "feed-forward-before-cross": (
        "The feed-forward network comes before the cross-attention. The order is self-attention, "
        "cross-attention, feed-forward.",
        {
            (
                "seen = self.norm2(x) if self.norm_first else x attended, cross_weights = "
                "self.multihead_attn(seen, memory, memory_mask) x = x + self.dropout(attended) "
                "if not self.norm_first: x = self.norm2(x)"
            ): (""),
            "return x, cross_weights": (
                "seen = self.norm2(x) if self.norm_first else x\n"
                "attended, cross_weights = self.multihead_attn(seen, memory, memory_mask)\n"
                "x = x + self.dropout(attended)\n"
                "if not self.norm_first:\n"
                "    x = self.norm2(x)\n"
                "return x, cross_weights"
            ),
        },
    ),
    "default-pre-norm": (
        "Where norm_first is not given, the block is pre-norm. It should be post-norm, as in the "
        "paper of 2017.",
        {
            "norm_first: bool = False": "norm_first: bool = True",
        },
    ),
    "memory-mask-on-queries": (
        "memory_mask closes positions of the target: it is used along the queries of the "
        "cross-attention. It is about the memory, which is the last axis of the scores.",
        by(
            {
                "[:, None, None, :]": "[:, None, :, None]",
            },
            within="CrossAttention",
        ),
    ),
    "mask-kept": (
        "The causal mask is kept from before, as from the first call or from `__init__`, and an x "
        "of another length gets a mask that does not fit. Make it for the length of x, in every "
        "call.",
        {
            "mask = causal_mask(x.shape[1])": (
                "if not hasattr(self, 'kept'):\n"
                "    self.kept = causal_mask(x.shape[1])\n"
                "mask = self.kept[: x.shape[1], : x.shape[1]]"
            ),
        },
        {
            "mask = causal_mask(x.shape[1])": (
                "if not hasattr(self, 'kept'):\n"
                "    self.kept = causal_mask(x.shape[1])\n"
                "mask = self.kept"
            ),
        },
    ),
}


@exercise("Transformer", chapter="11-encoder-decoder", points=5)
def _(student, reference, draw):
    def tokens(vocab, *sizes, **named):
        return draw.integers(2, vocab, *sizes, **named)

    mine, theirs = loaded(student, reference, draw, 11, 13, 6, 2, 9, 1, 7)
    source, target = tokens(11, B=3, S=5), tokens(13, B=3, L=4)
    agrees(mine, theirs, source, target, case="one layer")
    source[1, 3:] = 0
    source[2, 2:] = 0
    agrees(mine, theirs, source, target, case="one layer, padding in the source")
    full = tokens(11, 1, 7), tokens(13, 1, 7)
    close(mine(*full), theirs(*full), case="the largest lengths", call=mine.last_call)
    target[0, 2:] = 0
    agrees(mine, theirs, source, target, case="padding in the target too")
    source[2] = 0
    agrees(mine, theirs, source, target[:, :2], case="a source of padding alone")
    case = "padding before the source and inside it"
    inside = tokens(11, B=2, S=5)
    inside[0, :2] = 0
    inside[1, 1] = 0
    agrees(mine, theirs, inside, target[:2, :3], case=case, ask=VALUES)
    padded = tokens(11, 2, 8)
    padded[:, 5:] = 0
    case = "a source of 8 tokens, three of them padding, at most 7"
    raises(mine, ValueError, padded, target[:2], case=case)
    for lengths, says, case in (((8, 4), "8", "a source"), ((4, 9), "9", "a target")):
        long = tokens(11, 2, lengths[0]), tokens(13, 2, lengths[1])
        raises(
            mine, ValueError, *long, says=(says, "7"), case=f"{case} of {says} tokens, at most 7"
        )

    mine, theirs = loaded(student, reference, draw, 11, 13, 6, 2, 9, 2, 7, pad_id=1)
    source, target = tokens(11, B=2, S=5), tokens(13, B=2, L=3)
    source[0, 4:] = 1
    source[1, 0] = 0
    agrees(mine, theirs, source, target, case="two layers, pad_id 1")
    agrees(mine, theirs, source, source, case="the source is the target, too", ask=VALUES)
    mine, theirs = loaded(student, reference, draw, 11, 11, 6, 2, 9, 1, 7)
    source, target = tokens(11, B=2, S=5), tokens(11, B=2, L=3)
    agrees(mine, theirs, source, target, case="vocabularies of one size", ask=VALUES)
    agrees(mine, theirs, source.flip(0), target, case="another source", ask=VALUES)
    agrees(mine, theirs, source[:, :1], target[:, :1], case="one token each", ask=VALUES)
    for each in (mine, theirs):
        each.train(False)
    agrees(mine, theirs, source, target, case="in evaluation mode", ask=VALUES)
    for each in (mine, theirs):
        each.to("float64")
    got, want = mine(source, target), theirs(source, target)
    close(got, want, case="in float64", call=mine.last_call, rtol=1e-6, atol=1e-7)
    mine, theirs = loaded(student, reference, draw, 11, 11, 9, 3, 9, 1, 7)
    agrees(mine, theirs, source, target, case="an odd embed_dim", ask=VALUES)


misconceptions["Transformer"] = {
    "target-padding-frozen": (
        "The target's embedding gives `pad_id` no gradient, as `padding_idx` does, so that its "
        "vector never learns. The target has no padding mask: a pad_id in it is a token like any "
        "other.",
        {
            "nn.Embedding(target_vocab, embed_dim)": "nn.Embedding(target_vocab, embed_dim, "
            "padding_idx=pad_id)"
        },
    ),
    "shifted-again": (
        "A row of logits is missing at the end, as when the last token of the target is cut off. "
        "The caller has shifted the target already: there is a row of logits for each of its "
        "tokens.",
        {
            "S, L = source.shape[1], target.shape[1]": "target = target[:, :-1]\n"
            "S, L = source.shape[1], target.shape[1]"
        },
        {
            "x = self.target_embedding(target)": "target = target[:, :-1]\nL = target.shape[1]\n"
            "x = self.target_embedding(target)"
        },
    ),
    "memory-unused": (
        "The decoder's layers attend to the target where they should attend to the memory, which "
        "the encoder has made of the source.",
        {"x, _ = layer(x, memory, real)": "x, _ = layer(x, x)"},
    ),
    "tables-shared": (
        "Source and target share one table of embeddings where their vocabularies are of one size. "
        "In the paper they do; here each has its own, `source_embedding` and `target_embedding`.",
        {
            "self.encoder =": "if source_vocab == target_vocab:\n"
            "    self.target_embedding = self.source_embedding\nself.encoder ="
        },
    ),
    "target-without-positions": (
        "The target gets no positions: its embeddings go to the decoder without them. Source and "
        "target both need them.",
        {"x * math.sqrt(E) + sinusoidal_positions(L, E).to(x)": "x * math.sqrt(E)"},
    ),
    "source-without-positions": (
        "The source gets no positions: to the encoder, a sentence is a bag of words. Source and "
        "target both need them.",
        {"memory * math.sqrt(E) + sinusoidal_positions(S, E).to(memory)": "memory * math.sqrt(E)"},
    ),
    "not-multiplied": (
        "The embeddings of source and target are not multiplied by sqrt(embed_dim).",
        {
            "memory * math.sqrt(E)": "memory",
            "x * math.sqrt(E)": "x",
        },
    ),
    "positions-multiplied": (
        "The positions are added before the factor sqrt(embed_dim), which then multiplies them "
        "too. Only the embeddings are scaled.",
        {
            "memory * math.sqrt(E) +": "math.sqrt(E) * (memory +",
            ".to(memory)": ".to(memory))",
            "x * math.sqrt(E) +": "math.sqrt(E) * (x +",
            ".to(x)": ".to(x))",
        },
    ),
    "no-positions": (
        "No positions are added, neither to the source nor to the target. Both get chapter 6's "
        "sinusoidal positions.",
        {
            "+ sinusoidal_positions(S, E).to(memory)": "",
            "+ sinusoidal_positions(L, E).to(x)": "",
        },
    ),
    "not-causal": (
        "The decoder's self-attention is not causal: logits at a position change with the target "
        "tokens after it, which are what they should predict.",
        by(
            {"seen, seen, seen, mask": "seen, seen, seen"},
            within="DecoderBlock",
        ),
    ),
    "source-mask-unused": (
        "Padding of the source is attended to as if it were text, both in the encoder and from "
        "the decoder: the source mask has no effect.",
        {
            "real[:, None, None, :]": "None",
            "memory, real)": "memory)",
        },
    ),
    "memory-unmasked": (
        "The source mask is used in the encoder, but has no effect on the cross-attention: the "
        "decoder still attends to padding.",
        {"memory, real)": "memory)"},
    ),
    "encoder-unmasked": (
        "The source mask is used in the cross-attention, but in the encoder real tokens still "
        "attend to padding: the mask belongs there, too.",
        {"real[:, None, None, :]": "None"},
    ),
    "pad-is-zero": (
        "Padding is always token 0 here. Which token it is, `pad_id` says.",
        {"source != self.pad_id": "source != 0"},
    ),
    "target-padding-masked": (
        "The target got a padding mask as well. The contract has the causal mask alone there: what "
        "comes after the end counts nothing in the loss anyway.",
        by(
            {
                "x.shape[1], dtype=torch.bool).tril()": "x.shape[1], dtype=torch.bool).tril()\n"
                "causal = causal & (target != self.pad_id)[:, None, None]"
            },
            style="torch's own layers inside",
        ),
    ),
    "target-shifted": (
        "The target is shifted inside `forward`. The caller does that: it gives the target "
        "beginning with the start token, and logits at t are for what follows target[t].",
        {
            "x = self.target_embedding(target)": "target = torch.cat([target[:, :1], "
            "target[:, :-1]], dim=1)\n"
            "x = self.target_embedding(target)",
        },
        {
            "x = self.target_embedding(target)": (
                "target = torch.cat([torch.zeros_like(target[:, :1]), target[:, :-1]], dim=1)\n"
                "x = self.target_embedding(target)"
            ),
        },
    ),
    "layer-by-layer": (
        "Each decoder layer attends to the encoder layer of the same number. All of them attend to "
        "the memory: what the last encoder layer returns.",
        by(
            {
                'for layer in self.encoder["layers"]:': "kept = []\n"
                'for layer in self.encoder["layers"]:',
                '"norm2"](memory + feed(layer, memory))': '"norm2"](memory + feed(layer, memory))\n'
                "kept.append(memory)",
                "for layer in "
                "self.decoder:": "for layer, memory in zip(self.decoder, kept, strict=True):",
            },
            style="torch's own layers inside",
        ),
    ),
    "embedded-source": (
        "The decoder attends to the embedded source: what the encoder returned is not used.",
        {"memory, _ = self.encoder": "_ = self.encoder"},
    ),
    "softmax-of-logits": (
        "The logits went through a softmax. The loss takes the softmax itself.",
        {"return self.output(x)": "return self.output(x).softmax(dim=-1)"},
    ),
    "length-unchecked": (
        "Longer sequences than max_length are accepted. Both source and target have that limit: "
        "past it, a ValueError.",
        {"if max(S, L) > self.max_length:": "if False:"},
    ),
    "target-length-unchecked": (
        "Only the source is held to max_length. A target that is too long is a ValueError as well.",
        {"if max(S, L) > self.max_length:": "if S > self.max_length:"},
    ),
    "log-softmax-of-logits": (
        "The logits went through a log-softmax. They should be the scores before it: the loss "
        "takes the softmax itself.",
        {"return self.output(x)": "return self.output(x).log_softmax(dim=-1)"},
    ),
    "padding-does-not-ask": (
        "In the encoder the mask closes the rows of padding, and not its columns: padding may "
        "not attend, but all others attend to it. It is the padding that nobody looks at.",
        {
            "real[:, None, None, :]": "real[:, None, :, None]",
        },
    ),
    "target-padding-zeroed": (
        "Where the target is pad_id, its vector is set to zero, before or after the positions are "
        "added. The target has no padding: what is pad_id there is embedded like any token.",
        {
            "x = x * math.sqrt(E)": (
                "x = x * (target != self.pad_id).unsqueeze(-1)\nx = x * math.sqrt(E)"
            ),
        },
        {
            "real = source != self.pad_id": (
                "x = x * (target != self.pad_id).unsqueeze(-1)\nreal = source != self.pad_id"
            ),
        },
    ),
    "positions-from-one": (
        "The positions are counted from 1. They begin at 0, on both sides.",
        {
            "sinusoidal_positions(S, E)": "sinusoidal_positions(S + 1, E)[1:]",
            "sinusoidal_positions(L, E)": "sinusoidal_positions(L + 1, E)[1:]",
        },
    ),
    "source-not-multiplied": (
        "The source's embeddings are not multiplied by sqrt(embed_dim). The target's are, and "
        "both should be.",
        {
            "memory * math.sqrt(E)": "memory",
        },
    ),
    "target-not-multiplied": (
        "The target's embeddings are not multiplied by sqrt(embed_dim). The source's are, and "
        "both should be.",
        {
            "x * math.sqrt(E)": "x",
        },
    ),
    "multiplied-by-width": (
        "The embeddings are multiplied by embed_dim. It is its root.",
        {
            "memory * math.sqrt(E)": "memory * E",
            "x * math.sqrt(E)": "x * E",
        },
    ),
    "divided-by-root": (
        "The embeddings are divided by sqrt(embed_dim). They are multiplied by it.",
        {
            "memory * math.sqrt(E)": "memory / math.sqrt(E)",
            "x * math.sqrt(E)": "x / math.sqrt(E)",
        },
    ),
    "positions-twice": (
        "The positions are added a second time after the encoder: the decoder's memory is what "
        "the encoder returned, as it is.",
        {
            "memory, _ = self.encoder(memory, real[:, None, None, :])": (
                "memory, _ = self.encoder(memory, real[:, None, None, :])\n"
                "memory = memory + sinusoidal_positions(S, E).to(memory)"
            ),
        },
    ),
    "pre-norm": (
        "Layers are pre-norm, in the encoder, the decoder or both. All of them are post-norm here.",
        {
            "Encoder(num_layers, embed_dim, num_heads, hidden_dim)": (
                "Encoder(num_layers, embed_dim, num_heads, hidden_dim, norm_first=True)"
            ),
            "DecoderBlock(embed_dim, num_heads, hidden_dim)": (
                "DecoderBlock(embed_dim, num_heads, hidden_dim, norm_first=True)"
            ),
        },
        {
            "DecoderBlock(embed_dim, num_heads, hidden_dim)": (
                "DecoderBlock(embed_dim, num_heads, hidden_dim, norm_first=True)"
            ),
        },
        {
            "Encoder(num_layers, embed_dim, num_heads, hidden_dim)": (
                "Encoder(num_layers, embed_dim, num_heads, hidden_dim, norm_first=True)"
            ),
        },
    ),
    "gelu": (
        "The encoder has gelu. All layers have relu here.",
        {
            "Encoder(num_layers, embed_dim, num_heads, hidden_dim)": (
                "Encoder(num_layers, embed_dim, num_heads, hidden_dim, activation='gelu')"
            ),
        },
    ),
    "encoder-causal": (
        "The encoder is causal. It reads the whole source: only the decoder must not look ahead.",
        {
            "real[:, None, None, :]": (
                "real[:, None, None, :] & torch.ones(S, S, dtype=torch.bool).tril()"
            ),
        },
    ),
    "decoder-reversed": (
        "The decoder's layers run in reverse order. The first of them comes first.",
        {
            "for layer in self.decoder:": "for layer in list(self.decoder)[::-1]:",
        },
    ),
    "first-decoder-layer-only": (
        "Only the first of the decoder's layers counts. All of them do: each takes what the one "
        "before it returned.",
        {"for layer in self.decoder:": "for layer in self.decoder[:1]:"},
    ),
    "target-each-layer": (
        "The last of the decoder's layers gets the embedded target, so that the layers before it "
        "do not count. Each should take what the layer before it returned.",
        {
            "for layer in self.decoder:": "given = x\nfor layer in self.decoder:",
            "layer(x, memory, real)": "layer(given, memory, real)",
        },
    ),
    "last-logits-only": (
        "Only the logits of the last position come back. There is a row for each position of the "
        "target.",
        {
            "return self.output(x)": "return self.output(x[:, -1])",
        },
    ),
    "output-tied": (
        "The logits are made by the table of target embeddings. The paper shares the two; here "
        "`output` is a layer of its own.",
        {
            "return self.output(x)": "return x @ self.target_embedding.weight.T",
        },
    ),
    "limit-refused": (
        "A sequence of just max_length tokens is refused. The lengths are at most max_length: it "
        "is allowed.",
        {
            "max(S, L) > self.max_length": "max(S, L) >= self.max_length",
        },
    ),
    "source-length-unchecked": (
        "Only the target is held to max_length. A source that is too long is a ValueError as well.",
        {
            "if max(S, L) > self.max_length:": "if L > self.max_length:",
        },
    ),
    "one-table": (
        "Source and target are embedded by one table: `source_embedding` reads the target, too, "
        "or `target_embedding` the source. Each has its own.",
        {
            "self.target_embedding(target)": "self.source_embedding(target)",
        },
        {
            "self.source_embedding(source)": "self.target_embedding(source)",
        },
    ),
    "positions-of-real-tokens": (
        "Positions count the real tokens alone, so that what stands at padding or after it gets "
        "others. The position of a token is its place in the row, whatever stands before it.",
        {
            "sinusoidal_positions(S, E).to(memory)": (
                "sinusoidal_positions(S, E).to(memory)"
                "[((source != self.pad_id).cumsum(dim=1) - 1).clamp(min=0)]"
            ),
        },
        {
            "sinusoidal_positions(S, E).to(memory)": (
                "sinusoidal_positions(S + 1, E).to(memory)"
                "[(source != self.pad_id).cumsum(dim=1) * (source != self.pad_id)]"
            ),
        },
        {
            "sinusoidal_positions(S, E).to(memory)": (
                "sinusoidal_positions(S, E).to(memory)"
                "[((source != self.pad_id).cumsum(dim=1) - 1).clamp(min=0)]"
            ),
            "sinusoidal_positions(L, E).to(x)": (
                "sinusoidal_positions(L, E).to(x)"
                "[((target != self.pad_id).cumsum(dim=1) - 1).clamp(min=0)]"
            ),
        },
    ),
    "positions-from-first-real": (
        "The source's positions begin at its first real token, so padding before it moves all. "
        "The position of source[:, t] is t, whatever stands before it.",
        {
            "sinusoidal_positions(S, E).to(memory)": (
                "sinusoidal_positions(S, E).to(memory)[(torch.arange(S) - (source != self.pad_id)"
                ".int().argmax(dim=1, keepdim=True)).clamp(min=0)]"
            ),
        },
    ),
}


@exercise(
    "label_smoothed_loss",
    chapter="11-encoder-decoder",
    points=3,
    forbidden=("cross_entropy", "cross_entropy_loss", "CrossEntropyLoss"),
)
def _(student, reference, draw):
    logits, targets = draw.normal(N=6, V=5), draw.integers(1, 5, N=6)
    agrees(student, reference, logits, targets, 0.0, case="no smoothing")
    agrees(student, reference, logits, targets, 0.3, case="smoothing 0.3")
    agrees(student, reference, logits, targets, case="the usual smoothing")
    logits, targets = 2 * draw.normal(B=2, L=3, V=7), draw.integers(1, 7, B=2, L=3)
    agrees(student, reference, logits, targets, 0.2, case="a batch of sentences")
    agrees(student, reference, logits[:1, :1], targets[:1, :1], 0.2, case="B = L = 1", ask=VALUES)
    targets[0, 2] = targets[1, 1] = targets[1, 2] = 0
    agrees(student, reference, logits, targets, 0.2, case="padding")
    targets[0, 0] = targets[0, 2] = targets[1, 1] = 3
    targets[1, 2] = 0
    agrees(student, reference, logits, targets, 0.1, 3, case="pad_id 3")
    targets[0, 0] = targets[1, 1] = -100
    agrees(student, reference, logits, targets, 0.1, -100, case="pad_id -100, which is no token")
    agrees(student, reference, logits[0, 0], targets[1, 0], 0.1, -100, case="a single position")
    agrees(student, reference, 1e4 * logits, targets, 0.1, -100, case="logits of 1e4", rtol=1e-3)
    given = 1e4 * torch.eye(3, 7), torch.tensor([0, 1, 6]), 0.0, -100
    case = "tokens that are nearly certain, no smoothing"
    agrees(student, reference, *given, case=case, ask=VALUES)
    nothing = torch.full((2, 3), 4)
    agrees(student, reference, logits, nothing, 0.1, 4, case="padding alone")
    backpropagates(student, logits, nothing, 0.1, 4, case="padding alone")
    for pad in (16, -1):
        given = logits, targets.where(targets != -100, pad), 0.1, pad
        agrees(student, reference, *given, case=f"pad_id {pad}, which is no token", ask=VALUES)
    given = draw.normal(2, 1, 3, 5), draw.integers(1, 5, 2, 1, 3)
    agrees(student, reference, *given, 1.0, case="three dimensions, smoothing 1", ask=VALUES)


misconceptions["label_smoothed_loss"] = {
    "padding-in-smoothing": (
        "Padding is left out of the part for the right token, but not of the part that smoothing "
        "shares among all: a padded position counts nothing in either.",
        {
            "return losses / real.sum().clamp(min=1)": "spread = torch.log_softmax(logits, "
            "dim=-1).mean()\nreturn (smoothing - 1) * right.sum() / real.sum().clamp(min=1) "
            "- smoothing * spread"
        },
    ),
    "pad-without-share": (
        "The smoothing is shared by the tokens other than pad_id. The contract shares it over all "
        "V.",
        {
            "log_probs.mean(dim=-1).sum()": "(log_probs.sum() - (log_probs[:, pad_id].sum() if 0 "
            "<= pad_id < logits.shape[-1] else 0)) / (logits.shape[-1] - (0 <= pad_id < "
            "logits.shape[-1]))"
        },
    ),
    "smoothing-exchanged": (
        "smoothing and 1 - smoothing have changed places: with a smoothing of 0, the right token "
        "counts no more than any other.",
        {
            "(smoothing - 1) * right.sum() - smoothing *": "-smoothing * right.sum() - "
            "(1 - smoothing) *"
        },
    ),
    "smoothing-unused": (
        "The smoothing has no effect: this is the plain cross-entropy.",
        {"real = targets": "smoothing = 0.0\nreal = targets"},
    ),
    "shared-by-wrong-only": (
        "The smoothing is shared by the V - 1 wrong tokens only. Here, as in torch, all V tokens "
        "get a share, the right one too.",
        {
            "log_probs.mean(dim=-1).sum()": "(log_probs.sum() - right.sum()) / (logits.shape[-1] "
            "- 1)"
        },
    ),
    "smoothing-not-shared": (
        "Every token gets the whole of `smoothing`, so the target distribution sums to more than "
        "one. The V tokens share it: smoothing / V each.",
        {"log_probs.mean(dim=-1).sum()": "log_probs.sum()"},
    ),
    "right-keeps-all": (
        "The right token keeps all of its probability, and the smoothing comes on top. The target "
        "distribution should sum to one: 1 - smoothing for the right token.",
        {"(smoothing - 1) * right": "-right"},
    ),
    "padding": (
        "The loss at padding is zero, but the sum is divided by the number of all positions. The "
        "mean is over real targets alone.",
        {"real.sum().clamp(min=1)": "real.numel()"},
    ),
    "padding-counted": (
        "Padding counts like any target. Positions whose target is pad_id should not count.",
        {"real = targets != pad_id": "targets = targets.clamp(min=0)\nreal = targets >= 0"},
    ),
    "padding-smoothed": (
        "Padding is left out of the cross-entropy, but the smoothing still runs over it: its share "
        "comes from every position, padding too.",
        {"log_probs.mean(dim=-1).sum()": "logits.log_softmax(dim=-1).mean(dim=-1).sum()"},
        {"log_probs.mean(dim=-1).sum()": "logits.log_softmax(dim=-1).mean() * real.sum()"},
    ),
    "mean-of-rows": (
        "The mean is taken for each sentence first, and then over the sentences, so a token in a "
        "short sentence counts more. Average over all real targets of the batch at once.",
        by(
            {
                "torch.where(real, losses, 0.0).sum() / max(int(real.sum()), 1)": "("
                "(losses * real).sum(dim=-1) / real.sum(dim=-1).clamp(min=1)).mean()"
            },
            style="the whole target distribution",
        ),
    ),
    "pad-is-zero": (
        "Padding is always token 0 here. Which target counts nothing, `pad_id` says.",
        {"real = targets != pad_id": "real, targets = targets != 0, targets.clamp(min=0)"},
    ),
    "log-of-softmax": (
        "With large logits log-probabilities become -inf, as when a probability is rounded to "
        "zero before its logarithm, or the exponentials overflow. `log_softmax` takes both steps "
        "at once and stays finite.",
        {"torch.log_softmax(logits[real], dim=-1)": "torch.softmax(logits[real], dim=-1).log()"},
    ),
    "nothing-nan": (
        "With padding alone the result is NaN, as of zero over zero or of the mean of no numbers. "
        "A loss over no target is 0.",
        {"real.sum().clamp(min=1)": "real.sum()"},
    ),
    "summed": (
        "The losses are added up, not averaged, so the loss grows with the batch. It is the mean "
        "over real targets.",
        {"/ real.sum().clamp(min=1)": ""},
    ),
    "pad-token-without-share": (
        "The padding token gets nothing of what is shared. As in torch, all V tokens share it: "
        "pad_id says which targets count, and not which tokens.",
        {
            "log_probs.mean(dim=-1).sum()": "torch.stack([column for token, column in "
            "enumerate(log_probs.unbind(-1)) if token != pad_id]).sum() / logits.shape[-1]"
        },
    ),
    "kl-divergence": (
        "This is the Kullback-Leibler divergence: the entropy of the target distribution was "
        "taken off. The cross-entropy is wanted, with nothing taken off.",
        {
            "return losses / real.sum().clamp(min=1)": (
                "V = logits.shape[-1]\n"
                "own, other = 1 - smoothing + smoothing / V, smoothing / V\n"
                "entropy = -sum(p * math.log(p) for p in (own, *[other] * (V - 1)) if p > 0)\n"
                "return losses / real.sum().clamp(min=1) - entropy * real.any()"
            ),
        },
    ),
    "right-without-share": (
        "The right token gets 1 - smoothing and no share of what is smoothed, so that the target "
        "distribution does not sum to one. All V tokens share it, the right one too.",
        {
            "log_probs.mean(dim=-1).sum()": "(log_probs.sum() - right.sum()) / logits.shape[-1]",
        },
    ),
    "shared-by-two-fewer": (
        "Each wrong token but pad_id gets smoothing / (V - 2), and the right one gets no share. "
        "The contract shares it among all V: smoothing / V each.",
        {
            "log_probs.mean(dim=-1).sum()": (
                "(log_probs.sum() - right.sum() - (log_probs[:, pad_id].sum() if 0 <= pad_id < "
                "logits.shape[-1] else 0)) / (logits.shape[-1] - 2)"
            ),
        },
    ),
    "by-vocabulary": (
        "The loss is divided by the size of the vocabulary as well. It is the mean over the "
        "positions alone.",
        {
            "real.sum().clamp(min=1)": "(real.sum().clamp(min=1) * logits.shape[-1])",
        },
    ),
    "by-sentences": (
        "The sum is divided by the length of the first axis, the number of sentences. It is "
        "divided by the number of real targets.",
        {
            "/ real.sum().clamp(min=1)": "/ (targets.shape[0] if targets.dim() else 1)",
        },
        {"/ real.sum().clamp(min=1)": "/ len(targets)"},
    ),
    "probabilities": (
        "The logits are taken for log-probabilities as they are. A log-softmax makes them so.",
        {
            "torch.log_softmax(logits[real], dim=-1)": "logits[real]",
        },
    ),
    "softmax-twice": (
        "The softmax was taken twice: the log-softmax is for the logits themselves.",
        {
            "torch.log_softmax(logits[real], dim=-1)": (
                "torch.log_softmax(torch.softmax(logits[real], dim=-1), dim=-1)"
            ),
        },
    ),
    "cut-off": (
        "Very low log-probabilities are cut off at a bound, such as -100. They are finite by "
        "themselves with log-softmax, and what is that improbable should cost as much: leave the "
        "bound out.",
        {
            "torch.log_softmax(logits[real], dim=-1)": (
                "torch.log_softmax(logits[real], dim=-1).clamp(min=-100)"
            ),
        },
        {
            "torch.log_softmax(logits[real], dim=-1)": (
                "torch.softmax(logits[real], dim=-1).clamp(min=1e-12).log()"
            ),
        },
        {
            "torch.log_softmax(logits[real], dim=-1)": (
                "torch.softmax(logits[real], dim=-1).clamp(min=1e-9).log()"
            ),
        },
        {
            "torch.log_softmax(logits[real], dim=-1)": (
                "torch.softmax(logits[real], dim=-1).clamp(min=1e-8).log()"
            ),
        },
    ),
    "looked-up-before-masked": (
        "Targets are used as indices of tokens, as by `gather` or `scatter`, before padding is "
        "left out. A pad_id may be no token at all, as -100: put some token there first, or leave "
        "padding out.",
        {
            "log_probs = torch.log_softmax(logits[real], dim=-1)": (
                "log_probs = torch.log_softmax(logits, dim=-1)"
            ),
            "log_probs.gather(-1, targets[real].unsqueeze(-1))": (
                "log_probs.gather(-1, targets.unsqueeze(-1))[real]"
            ),
            "log_probs.mean(dim=-1).sum()": "log_probs[real].mean(dim=-1).sum()",
        },
    ),
}


mend("label_smoothed_loss", "padding", points=1)


@exercise("warmup_rate", chapter="11-encoder-decoder", points=1)
def _(student, reference, draw):
    tight = {"rtol": 1e-6, "atol": 0.0}
    warmup = draw.int(50, 90)
    for step, case in (
        (draw.int(200, 400), "after the warm-up"),
        (1, "the first step"),
        (draw.int(24, 40), "in the warm-up"),
        (warmup, "the last step of the warm-up"),
        (warmup + 1, "the first step after the warm-up"),
    ):
        size = draw.int(20, 600)
        got, want = student(step, size, warmup), reference(step, size, warmup)
        close(got, want, case=case, call=student.last_call, **tight)
        of_kind(got, float, case, student.last_call)
    for step in (draw.int(100, 3000), draw.int(5000, 9000)):
        case = "without naming the length of the warm-up"
        close(student(step, 512), reference(step, 512), case=case, call=student.last_call, **tight)
    got = student(step, 512)
    of_kind(got, float, "", "warmup_rate")
    got, want = student(50_000, 512), reference(50_000, 512)
    close(got, want, case="long after the warm-up", call=student.last_call, **tight)
    raises(student, ValueError, -draw.int(1, 9), 512, case="a negative step")
    raises(student, ValueError, 0, 512, case="step 0")


misconceptions["warmup_rate"] = {
    "steps-from-zero": (
        "The steps are counted from 0, so that one is added to each. Here the first update "
        "is step 1.",
        {"return embed_dim": "step = step + 1\nreturn embed_dim"},
    ),
    "warm-up-to-one": (
        "The warm-up rises as step / warmup_steps, and then the rate falls to a fraction of that "
        "at once: the two parts do not meet. The line is step * warmup_steps^-1.5.",
        {
            "min(step**-0.5, step * warmup_steps**-1.5)": "(step / warmup_steps if step < "
            "warmup_steps else step**-0.5)"
        },
        {
            "min(step**-0.5, step * warmup_steps**-1.5)": (
                "(step / warmup_steps if step <= warmup_steps else step**-0.5)"
            ),
        },
    ),
    "no-warm-up": (
        "There is no warm-up: the rate only falls, and the first steps, when weights are still "
        "random, are the largest.",
        {"min(step**-0.5, step * warmup_steps**-1.5)": "step**-0.5"},
    ),
    "no-fall": (
        "After the warm-up the rate stays where it is. It should fall with one over the root of "
        "the step.",
        {"min(step**-0.5": "min(warmup_steps**-0.5"},
    ),
    "larger-part": (
        "The larger of the two was taken. The rate is the smaller one: rising first, falling "
        "later.",
        {"min(": "max("},
    ),
    "width-missing": (
        "The factor embed_dim^-0.5 is missing: wider models take smaller steps.",
        {"embed_dim**-0.5 *": ""},
    ),
    "peak-missing": (
        "The rising part is step / warmup_steps, without the height of the peak. It is step * "
        "warmup_steps^-1.5, which meets the falling part at warmup_steps.",
        {"step * warmup_steps**-1.5": "step / warmup_steps"},
    ),
    "fall-restarted": (
        "The falling part begins anew at the end of the warm-up: its step is counted from there. "
        "It should be one over the root of the same step.",
        by(
            {"embed_dim * step)": "embed_dim * max(step - warmup_steps, warmup_steps))"},
            style="two branches",
        ),
    ),
    "step-zero": (
        "Step 0 is given a rate. There is no such step: they are numbered from 1, and a "
        "smaller one is a ValueError.",
        {"if step < 1:": "if step == 0:\n    return 0.0\nif step < 1:"},
    ),
    "fall-too-fast": (
        "After the warm-up the rate falls like 1 / step. It falls like one over the root of the "
        "step, which is slower.",
        {"min(step**-0.5": "min(warmup_steps**0.5 / step"},
    ),
    "width-without-root": (
        "The rate is divided by embed_dim, not by its root.",
        {"embed_dim**-0.5": "embed_dim**-1"},
    ),
    "lifted-to-one": (
        "A step below 1 is given a rate. Steps are numbered from 1, and a smaller one is a "
        "ValueError.",
        {
            "if step < 1:": ("step = max(step, 1)\nif step < 1:"),
        },
    ),
    "negative-accepted": (
        "A negative step is given a rate. Steps are numbered from 1, and a smaller one is a "
        "ValueError.",
        {
            "if step < 1:": ("step = abs(step)\nif step < 1:"),
        },
    ),
    "width-multiplied": (
        "The rate is multiplied by the root of embed_dim. It is divided by it: wider models take "
        "smaller steps.",
        {
            "embed_dim**-0.5": "embed_dim**0.5",
        },
    ),
    "slope": (
        "The line of the warm-up is step * warmup_steps^-0.5, or step / warmup_steps^2. It is "
        "step * warmup_steps^-1.5, which meets the falling part at warmup_steps.",
        {
            "warmup_steps**-1.5": "warmup_steps**-0.5",
        },
        {
            "warmup_steps**-1.5": "warmup_steps**-2",
        },
    ),
    "fall-counted-anew": (
        "After the warm-up the steps are counted anew, from its end. It is one over the root of "
        "the same step, which is counted from the beginning.",
        {
            "return embed_dim**-0.5 * min(step**-0.5, step * warmup_steps**-1.5)": (
                "if step <= warmup_steps:\n"
                "    return embed_dim**-0.5 * step * warmup_steps**-1.5\n"
                "return embed_dim**-0.5 * (step - warmup_steps) ** -0.5"
            ),
        },
        {
            "return embed_dim**-0.5 * min(step**-0.5, step * warmup_steps**-1.5)": (
                "if step <= warmup_steps:\n"
                "    return embed_dim**-0.5 * step * warmup_steps**-1.5\n"
                "return embed_dim**-0.5 * (step - warmup_steps + 1) ** -0.5"
            ),
        },
        *[
            {
                "return embed_dim**-0.5 * min(step**-0.5, step * warmup_steps**-1.5)": (
                    "if step <= warmup_steps:\n"
                    "    return embed_dim**-0.5 * step * warmup_steps**-1.5\n"
                    "return (embed_dim * warmup_steps) ** -0.5 * "
                    f"(step - warmup_steps{one}) ** -0.5"
                ),
            }
            for one in ("", " + 1")
        ],
    ),
    "linear-fall": (
        "After the warm-up the rate falls in a straight line. It falls with one over the root of "
        "the step.",
        {
            "return embed_dim**-0.5": (
                "if step > warmup_steps:\n"
                "    return embed_dim**-0.5 * warmup_steps**-0.5 * max(0.0, 2 - step / "
                "warmup_steps)\n"
                "return embed_dim**-0.5"
            ),
        },
    ),
}


def made_up(prefixes, table, output):
    state = torch.zeros(len(prefixes), table.shape[1])
    for tokens in prefixes.unbind(dim=1):
        state = torch.tanh(0.6 * state.roll(1, dims=1) + table[tokens])
    return state @ output


def by_last_token(prefixes, table):
    if prefixes.dtype != torch.int64:
        raise TypeError(f"step takes prefixes of int64, not {prefixes.dtype}")
    return table[prefixes.shape[1] - 1, prefixes[:, -1]]


def by_number(prefixes, table, eos):
    if (prefixes[:, 1:] == eos).any():
        raise ValueError("step takes unfinished sequences; it was given one that has ended")
    return table[prefixes.shape[1] - 1].expand(len(prefixes), -1)


@exercise("beam_search", chapter="11-encoder-decoder", points=4)
def _(student, reference, draw):
    vocab, bos, eos = 6, 0, 1

    def check(step, *arguments, case):
        got, want = student(step, *arguments), reference(step, *arguments)
        names = ("tokens", "log_prob")
        close(got, want, names=names, case=case, call=student.last_call)

    def drawn(ending):
        table, output = draw.normal(vocab, 8), 1.5 * draw.normal(8, vocab)
        output[:, eos] *= 0.5
        table[:, 0], output[0, eos] = 1.5, ending
        return portable(made_up, table=table, output=output)

    def row(**known):
        """Logits with these probabilities, about; the other tokens share the rest."""
        chances = draw.uniform(vocab, low=0.5, high=1.5)
        known = {int(name.removeprefix("p")): chance for name, chance in known.items()}
        others = [token for token in range(vocab) if token not in known]
        chances[others] *= (1 - sum(known.values())) / chances[others].sum()
        for token, chance in known.items():
            chances[token] = chance
        return chances.log() + draw.float(-2.0, 2.0)

    def tree(length, *known):
        """Logits by number of tokens and last token; what is not known is nearly even, no end."""
        table = 0.1 * draw.normal(length, vocab, vocab)
        table[:, :, eos] -= 5.0
        for step, last, logits in known:
            table[step, last] = logits
        return portable(by_last_token, table=table)

    def short_and_long(ratio):
        """Ends at once, or after six tokens with a log-probability `ratio` times as large.

        A beam as wide as the vocabulary keeps both.
        """
        low = 0.45 if ratio > 1 else 0.4  # both, and what is left for the rest, sum to one
        short = draw.float(low, low + 0.04)
        first = 0, bos, row(p1=short, p2=short**ratio)
        middle = [(step, 2, row(p2=0.9999)) for step in range(1, 5)]
        return tree(8, first, *middle, (5, 2, row(p1=0.9999)))

    def crowded():
        """One hypothesis ends at once; the best of the long ones is third in the second round."""
        return tree(
            6,
            (0, bos, row(p1=0.301, p2=0.607)),
            (1, 2, row(p3=0.522, p4=0.333)),
            *((step, 3, row(p0=0.3, p3=0.32, p5=0.36)) for step in range(2, 6)),
            *((step, 4, row(p4=0.98)) for step in range(2, 6)),
        )

    for _ in range(3):
        check(drawn(-3.0), bos, eos, 1, 6, case="width 1")
    long = [(step, 3, row(p3=0.97)) for step in range(1, 4)]
    step = tree(4, (0, bos, row(p2=0.5, p3=0.4)), *long)
    check(step, bos, eos, 2, 4, case="the second best is better later")
    long = [(step, 5, row(p5=0.97)) for step in range(2, 4)]
    for best, other in ((2, 3), (3, 2)):
        rows = (1, best, row(p4=0.9)), (1, other, row(p4=0.6))
        step = tree(2, (0, bos, row(p2=0.4, p3=0.4)), *rows)
        check(step, bos, eos, 2, 2, case="two that are equally probable at first")
    step = tree(4, (0, bos, row(p2=0.5, p3=0.3)), (1, 2, row(p4=0.5, p5=0.4)), *long)
    check(step, bos, eos, 2, 4, case="the two best begin alike")
    endless = [(step, 2, row(p2=0.97)) for step in range(1, 4)]
    step = tree(4, (0, bos, row(p1=0.2, p2=0.6)), *endless)
    check(step, bos, eos, 2, 4, case="the best has not ended")
    ended = [(step, eos, row(p1=0.97)) for step in range(1, 4)]
    step = tree(4, (0, bos, row(p1=0.5, p2=0.3)), *endless, *ended)
    check(step, bos, eos, 2, 4, case="the best ends at once")
    for width in (2, 3, 4):
        check(drawn(-3.0), bos, eos, width, 6, case="a beam")
    for width in (2, 3, 4):
        check(drawn(1.0), bos, eos, width, 6, case="hypotheses of many lengths")
    step = short_and_long(draw.float(1.3, 1.6))
    check(step, bos, eos, vocab, 8, case="a short one and a long one, without naming a penalty")
    for low, high in ((1.3, 1.6), (2.4, 3.0), (1.73, 1.8), (1.86, 1.96)):
        step = short_and_long(draw.float(low, high))
        check(step, bos, eos, vocab, 8, 1.0, case="a short one and a long one, with a penalty")
    for penalty in (1.5, 3.0):
        check(crowded(), bos, eos, 2, 6, penalty, case="an ended one in a crowded beam")
    for width, penalty in ((2, 1.0), (3, 0.6), (5, 2.0)):
        check(drawn(0.5), bos, eos, width, 6, penalty, case="a length penalty")
    check(drawn(0.0), 5, eos, 3, 5, 1.0, case="another start token")
    check(drawn(0.0), bos, 4, 3, 5, 1.0, case="another end token")
    for penalty in (0.0, 1.0):
        check(drawn(0.0), bos, eos, 6**3, 3, penalty, case="a beam for all sequences")
    check(drawn(0.0), bos, eos, 3, 1, case="one token")
    check(drawn(0.0), eos, eos, 3, 5, case="a start token that is the end token too")
    _, got = student(drawn(0.0), bos, eos, 2, 3)
    of_kind(got, float, "", "for log_prob, beam_search")
    first = 0, bos, row(p1=0.1, p2=0.85)
    step = tree(
        5, first, (1, 2, row(p3=0.5, p4=0.45)), *((n, 4, row(p4=0.97)) for n in range(2, 5))
    )
    check(step, bos, eos, 2, 5, case="an ended one that is crowded out")
    rows = (0, bos, row(p1=0.2, p2=0.7)), (1, 2, row(p3=0.5, p4=0.45))
    check(
        tree(4, *rows), bos, eos, 2, 4, case="one that is crowded out, and likelier than the last"
    )
    step = short_and_long(draw.float(1.02, 1.04))
    check(step, bos, eos, vocab, 8, case="two that are nearly as probable, without a penalty")
    check(drawn(-30.0), bos, eos, 1, 30, case="thirty tokens")
    # Long where any penalty decides; short where an exponent is no factor; long where it is one.
    for penalty, low, high in ((1.0, 1.02, 1.04), (0.5, 1.45, 1.7), (2.0, 2.2, 3.0)):
        step, case = short_and_long(draw.float(low, high)), f"two lengths, a penalty of {penalty}"
        check(step, bos, eos, vocab, 8, penalty, case=case)
    for low, high in ((1.6, 1.65), (1.7, 1.8)):  # one token more or less of the long one decides
        step = short_and_long(draw.float(low, high))
        check(step, bos, eos, vocab, 5, 1.0, case="a short one, and a long one that has not ended")
    step = short_and_long(0.9)
    check(step, bos, eos, vocab, 8, 1.0, case="a long one that is more probable, with a penalty")
    some = portable(by_number, table=torch.stack([row(p1=0.4, p2=0.3)] * 4), eos=eos)
    check(some, bos, eos, 3, 4, case="a step that takes what is unfinished, and nothing else")


misconceptions["beam_search"] = {
    "parents-not-followed": (
        "The tokens are not moved along with their parents: the new token is joined to the "
        "sequence that stood in the same row, not to the one that it extends.",
        by(
            {
                "beam[parents], tokens[:, None]": "beam.expand(max(len(beam), len(parents)), -1)"
                "[: len(parents)], tokens[:, None]"
            },
            style="tensors, finished rows padded with eos",
        ),
        by(
            {
                "beam[parents], tokens[:, None]": "beam.expand(max(len(beam), len(parents)), -1)"
                "[: len(parents)], tokens[:, None]",
                "ended[parents] |": "ended.expand(max(len(ended), len(parents)))[: len(parents)] |",
            },
            style="tensors, finished rows padded with eos",
        ),
    ),
    "penalty-multiplies": (
        "The penalty makes long sequences worse, as when it multiplies the log-probability, which "
        "is negative, or is subtracted from it. The log-probability is divided by it.",
        {"one[1] / ((5 + len(one[0])) / 6)": "one[1] * ((5 + len(one[0])) / 6)"},
    ),
    "last-token-missing": (
        "The last token of the sequence is cut off. Tokens come with eos_id, if it came, and a "
        "sequence that has not ended has nothing to cut off.",
        {"torch.tensor(tokens)": "torch.tensor(tokens[:-1])"},
    ),
    "bos-included": (
        "The start token is part of the result. Tokens come without it.",
        {"torch.tensor(tokens)": "torch.tensor([bos_id, *tokens])"},
    ),
    "logits-added": (
        "The logits are added up as they come. They are no log-probabilities before a "
        "log-softmax: with another constant added to a row of them, another sequence could win.",
        {"torch.log_softmax(step(prefixes), dim=-1)": "step(prefixes)"},
    ),
    "probabilities-added": (
        "Probabilities are added up, not their logarithms. The probability of a sequence is a "
        "product, and its logarithm a sum.",
        {"torch.log_softmax(": "torch.softmax("},
    ),
    "width-unused": (
        "In this check, every `beam_width` gives what a beam of one hypothesis gives: only one is "
        "kept, or all begin as copies of one and go on alike. That is greedy decoding, which never "
        "takes back its first choice.",
        {"candidates[:beam_width]": "candidates[:1]"},
        {  # of two that tie, the other one
            "candidates.sort(": "candidates.reverse()\ncandidates.sort(",
            "candidates[:beam_width]": "candidates[:1]",
        },
    ),
    "own-best-only": (
        "Every hypothesis keeps its own best continuation only. All continuations of all "
        "hypotheses should compete for the places in the beam.",
        {
            "enumerate(row)]": "sorted(enumerate(row), key=lambda one: -one[1])"
            "[: 1 if tokens else None]]"
        },
    ),
    "finished-extended": (
        "Finished hypotheses are extended further, past the end token. A sequence that has ended "
        "stays as it is, and so does its log-probability.",
        {
            "for tokens, total in beam if eos_id not in tokens]": "for tokens, total in beam]",
            "[(tokens, total) for tokens, total in beam if eos_id in tokens]": "[]",
        },
    ),
    "finished-apart": (
        "More than beam_width hypotheses are kept, as when those that have ended leave the beam "
        "and their places go to others. All share beam_width places; one that has ended keeps its "
        "place as long as it is good enough.",
        {
            "beam: list[tuple[list[int], float]] = [([], 0.0)]": "beam, apart = [([], 0.0)], []",
            "beam = candidates[:beam_width]": "apart += [one for one in candidates[:beam_width] "
            "if eos_id in one[0]]\n"
            "beam = [one for one in candidates if eos_id not in one[0]][:beam_width]",
            "max(beam,": "max(beam + apart,",
        },
        {
            "beam: list[tuple[list[int], float]] = [([], 0.0)]": "beam, apart = [([], 0.0)], []",
            "beam = candidates[:beam_width]": "beam = []\n"
            "for one in candidates:\n"
            "    if len(beam) == beam_width:\n"
            "        break\n"
            "    (apart if one[0][-1] == eos_id else beam).append(one)\n"
            "if len(apart) >= beam_width:\n"
            "    break",
            "max(beam,": "max(beam + apart,",
        },
    ),
    "finished-lost": (
        "Hypotheses that have ended are not carried over to the next round, where they should "
        "compete with the others for the places in the beam.",
        {"[(tokens, total) for tokens, total in beam if eos_id in tokens]": "[]"},
        {
            "[(tokens, total) for tokens, total in beam if eos_id in tokens]": "[]",
            "max(beam,": "max([one for one in beam if eos_id not in one[0]] or beam,",
        },
    ),
    "stops-with-first": (
        "The search stops as soon as one hypothesis in the beam has ended. Another may still "
        "become better: it ends when all in the beam have ended.",
        {"if not unfinished:": "if len(unfinished) < len(beam):"},
    ),
    "unfinished-dropped": (
        "Where one hypothesis has ended, those that have not are no longer considered at the end. "
        "The contract lets all of the last beam compete, finished or not.",
        {"max(beam,": "max([one for one in beam if eos_id in one[0]] or beam,"},
    ),
    "penalty-unused": (
        "The length penalty has no effect on the choice: it is the hypothesis with the largest "
        "log-probability. Each log-probability is divided by its penalty first.",
        {"/ ((5 + len(one[0])) / 6) ** length_penalty": ""},
    ),
    "penalty-prunes": (
        "The penalty is used for pruning as well, and the beam keeps other hypotheses. It decides "
        "the final choice alone.",
        {
            "lambda one: one[1], reverse=True": "lambda one: one[1] / ((5 + len(one[0])) / 6) "
            "** length_penalty, reverse=True"
        },
    ),
    "other-penalty": (
        "Lengths are penalized by another formula than the contract's, such as length ** "
        "length_penalty. It is ((5 + length) / 6) ** length_penalty.",
        {"((5 + len(one[0])) / 6)": "len(one[0])"},
        {"** length_penalty": "** (length_penalty / 2)"},
        {"/ 6) ** length_penalty": "/ 6 * length_penalty or 1.0)"},
    ),
    "bos-counted": (
        "The length is taken one too large, as when the start token is counted. Length counts the "
        "tokens of the result.",
        by(
            {"(4 + len(one[1]))": "(5 + len(one[1]))"},
            style="a heap, one prefix at a time",
        ),
    ),
    "eos-free": (
        "The log-probability of the end token itself is not counted, so ending costs nothing. It "
        "is one of the tokens of a hypothesis, and is added like the others.",
        {
            "for (tokens, total), row in zip(unfinished, log_probs, strict=True):": (
                "for (tokens, total), row in zip(unfinished, log_probs, strict=True):\n"
                "    row[eos_id] = 0.0"
            )
        },
    ),
    "eos-not-counted": (
        "The length of what has ended is taken one too small, as when the end token is not "
        "counted. It is one of the tokens of the result.",
        {"5 + len(one[0])": "5 + len(one[0]) - (eos_id in one[0])"},
    ),
    "penalized-result": (
        "The log-probability comes back divided by the penalty. The choice is made with the "
        "penalty; what is returned is without.",
        {"tokens), log_prob": "tokens), log_prob / ((5 + len(tokens)) / 6) ** length_penalty"},
    ),
    "other-log-prob": (
        "The log-probability is that of another hypothesis than the tokens, as of the likeliest "
        "one. Both belong to the one that is chosen.",
        {"tokens), log_prob": "tokens), beam[0][1]"},
    ),
    "ended-again": (
        "What has ended gets an end token more in every round. It stays as it is: eos_id comes "
        "once, and counts once in the length.",
        {
            "[(tokens, total) for tokens, total in beam if eos_id in tokens]": (
                "[([*tokens, eos_id], total) for tokens, total in beam if eos_id in tokens]"
            ),
        },
    ),
    "eos-cut-off": (
        "The end token was cut off. It is part of the tokens where it came.",
        {"torch.tensor(tokens)": "torch.tensor([token for token in tokens if token != eos_id])"},
    ),
    "wider-than-vocabulary": (
        "beam_width entries are asked for where there are fewer, as in the first round of a beam "
        "that is wider than the vocabulary. Take as many as there are.",
        {
            "enumerate(row)]": (
                "zip(*reversed([one.tolist() for one in torch.tensor(row).topk(beam_width)]), "
                "strict=True)]"
            ),
        },
    ),
    "first-finished-wins": (
        "The search ends with the first hypothesis that has ended, and gives that one back. All "
        "in the beam are to end, and the best of the last beam is the result.",
        {
            "beam = candidates[:beam_width]": (
                "beam = candidates[:beam_width]\n"
                "for tokens, total in beam:\n"
                "    if tokens[-1] == eos_id:\n"
                "        return torch.tensor(tokens), total"
            ),
        },
    ),
    "bos-ends": (
        "Where bos_id is eos_id, the start token ends the hypothesis before it begins. bos_id is "
        "none of its tokens, and ends nothing.",
        {
            "if eos_id not in tokens] if not unfinished": (
                "if eos_id not in [bos_id, *tokens]]\nif not unfinished"
            ),
        },
    ),
    "penalty-of-finished-only": (
        "The penalty is used for hypotheses that have ended, and not for the others. All of the "
        "last beam are compared by it.",
        {
            "** length_penalty)": "** (length_penalty if eos_id in one[0] else 0.0))",
        },
    ),
    "one-round-less": (
        "The search ends one round early. It goes on for max_length rounds, as long as something "
        "in the beam has not ended.",
        {
            "range(max_length)": "range(max(max_length - 1, 1))",
        },
    ),
    "one-round-more": (
        "The search goes on for a round more than max_length.",
        {
            "range(max_length)": "range(max_length + 1)",
        },
    ),
    "prefix-without-start": (
        "`step` gets the tokens without bos_id in front. Each prefix begins with it.",
        {
            "[[bos_id, *tokens] for tokens, _ in unfinished]": (
                "[tokens or [bos_id] for tokens, _ in unfinished]"
            ),
        },
    ),
    "ended-never-leave": (
        "A hypothesis that has ended keeps its place whatever comes, so that fewer are left for "
        "the others. It keeps it as long as it is good enough: better ones push it out.",
        {
            "candidates = [(tokens, total) for tokens, total in beam if eos_id in tokens]": (
                "ended = [(tokens, total) for tokens, total in beam if eos_id in tokens]\n"
                "candidates = []"
            ),
            "beam = candidates[:beam_width]": (
                "beam = ended + candidates[: max(beam_width - len(ended), 0)]"
            ),
        },
    ),
    "pushed-out-wins": (
        "A hypothesis that has ended and was pushed out of the beam afterwards still wins at the "
        "end. The result is one of the last beam: what others have pushed out is gone.",
        {
            "for _ in range(max_length):": "gone = []\nfor _ in range(max_length):",
            "beam = candidates[:beam_width]": (
                "beam = candidates[:beam_width]\ngone += [one for one in beam if eos_id in one[0]]"
            ),
            "max(beam,": "max(beam + gone,",
        },
    ),
    "finished-apart-alone": (
        "Finished hypotheses leave the beam and are kept apart, so their places go to others, and "
        "at the end they alone compete, if there are any. They keep their place as long as they "
        "are good enough, and all of the last beam compete.",
        {
            "beam: list[tuple[list[int], float]] = [([], 0.0)]": "beam, apart = [([], 0.0)], []",
            "beam = candidates[:beam_width]": "apart += [one for one in candidates[:beam_width] "
            "if eos_id in one[0]]\n"
            "beam = [one for one in candidates[:beam_width] if eos_id not in one[0]]",
            "max(beam,": "max(apart or beam,",
        },
        {
            "beam: list[tuple[list[int], float]] = [([], 0.0)]": "beam, apart = [([], 0.0)], []",
            "beam = candidates[:beam_width]": "apart += [one for one in candidates[:beam_width] "
            "if eos_id in one[0]]\n"
            "beam = [one for one in candidates if eos_id not in one[0]][:beam_width]",
            "max(beam,": "max(apart or beam,",
        },
    ),
    "step-of-finished": (
        "Sequences that have ended are given to `step`, too. It takes unfinished ones alone: give "
        "it those, and carry the others over as they are.",
        {
            "torch.tensor([[bos_id, *tokens] for tokens, _ in unfinished])": (
                "torch.nn.utils.rnn.pad_sequence([torch.tensor([bos_id, *tokens]) "
                "for tokens, _ in beam], batch_first=True, padding_value=eos_id)"
            ),
            "torch.log_softmax(step(prefixes), dim=-1).tolist()": (
                "torch.log_softmax(step(prefixes), dim=-1).tolist()\n"
                "log_probs = [row for row, one in zip(log_probs, beam) if eos_id not in one[0]]"
            ),
        },
    ),
    "stops-with-best": (
        "The search stops once the most probable hypothesis has ended. With a length penalty a "
        "longer one may still win: it ends when all in the beam have ended.",
        {"if not unfinished:": "if not unfinished or eos_id in beam[0][0]:"},
    ),
}


prediction(
    "cross-weights-shape",
    chapter="11-encoder-decoder",
    question=(
        "The source has 16 characters, and the target 7 symbols. What shape do the weights of a "
        "cross-attention with 2 heads have, for a batch of one?"
    ),
    right=(1, 2, 7, 16),
    options={
        (1, 2, 7, 16): "A row for each symbol that asks, a column for each character asked.",
        (1, 2, 16, 7): "The roles are exchanged: here each character would ask the target.",
        (1, 2, 7, 7): "That is the decoder's self-attention, in which the target asks itself.",
        (1, 2, 16, 16): "That is the encoder's self-attention, in which the source asks itself.",
    },
    again={
        "numbers": {"S": (12, 20, 24), "L": (5, 8, 9), "H": (4, 6)},
        "question": (
            "The source has {S} characters, and the target {L} symbols. What shape do the weights "
            "of a cross-attention with {H} heads have, for a batch of one?"
        ),
        "right": "(1, H, L, S)",
        "options": {
            "(1, H, L, S)": "A row for each symbol that asks, a column for each character asked.",
            "(1, H, S, L)": "The roles are exchanged: here each character would ask the target.",
            "(1, H, L, L)": (
                "That is the decoder's self-attention, in which the target asks itself."
            ),
            "(1, H, S, S)": (
                "That is the encoder's self-attention, in which the source asks itself."
            ),
        },
    },
)

prediction(
    "five-dates",
    chapter="11-encoder-decoder",
    question=(
        "The Transformer was trained on strings of one to four dates. Now it is given strings of "
        "five. What does it write?"
    ),
    right="Four dates: the first three, and then hardly ever the fourth.",
    options={
        "All five: a date is a date.": (
            "Nothing in its training asked for a fifth, and in this model it does not come by "
            "itself."
        ),
        "The first four, and then the end sign.": (
            "It does stop after four. But the fourth is not the source's fourth: in about half of "
            "the strings it is the fifth."
        ),
        "Four dates: the first three, and then hardly ever the fourth.": (
            "The fourth date that it writes is the source's fifth in about half of the strings. "
            "Perhaps that is because in training a fourth date was always the last; but the "
            "places of a fifth date were never trained either."
        ),
    },
)
