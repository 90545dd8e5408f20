"""Each thing that is added to pyborch, or answered otherwise, gives what PyTorch gives.

Both run the same lines: PyTorch here, NumPy in a process of its own.
"""

import json
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.page.expressions import alike, outcome

pytest.importorskip("borch")
ROOT = Path(__file__).parents[2]

X = "x = (torch.arange(24.0).reshape(2, 3, 4) / 7 - 1.5).requires_grad_()\n"
GRADIENT = "\n[r.detach(), torch.autograd.grad((r * r.detach().cos()).sum(), x)[0]]"
GRADIENTS = {
    "several dimensions": "x.mean(dim=(0, 2)) + x.var(dim=[0, 2]) + x.std(dim=(0, 2))",
    "the spread of all": "x.var() + x.std(unbiased=False)",
    "the mean beside the spread": "sum(torch.var_mean(x, dim=-1, correction=0))",
    "an index with lists and numbers": "x[1, :, [0, 2]]",
    "a mask": "x[x > 0]",
    "einsum with dots": "torch.einsum('...ld,...sd->...ls', x, x)",
    "einsum of one": "torch.einsum('...e->...', x)",
    "a length of zero": "torch.linalg.vector_norm(x * 0, dim=-1) + x.norm(dim=-1)",
    "to length one": "F.normalize(x, dim=-1) + F.normalize(x * 0, dim=-1)",
    "cosine": "F.cosine_similarity(x[0], x[1], dim=-1)",
    "distances": "torch.cdist(x, x)",
    "padding": "F.pad(x, (1, 2, 0, 1), value=3.0)",
    "unflatten": "x.unflatten(-1, (2, -1))",
    "gelu": "F.gelu(x)",
    "erf": "torch.erf(x)",
    "a base": "2.0**x",
    "cross-entropy of classes": "F.cross_entropy(x, torch.tensor([[0, 1, 2, 0], [1, 1, -100, 2]]))",
    "cross-entropy of one row": "F.cross_entropy(x[0, 0], torch.tensor(3))",
    "smoothed": "F.cross_entropy(x[0], torch.tensor([1, 3, 0]), label_smoothing=0.1)",
    "a divergence": "F.kl_div(x.log_softmax(-1), torch.tensor([0.0, 0.5, 0.25, 0.25]))",
    "by tiny numbers": "x * 1e-30 / (x * 0 + 1e-30)",
    "a running sum": "(x.reshape(-1) + 1e6).cumsum(0)",
    "attention": "F.scaled_dot_product_attention(x, x, x.sin())",
    "attention scaled": "F.scaled_dot_product_attention(x, x[:, :2], x[:, 1:], scale=0.7)",
    "attention under a mask": "m = torch.tensor([[True, False, True], [False] * 3, [True] * 3])\n"
    "r = F.scaled_dot_product_attention(x, x, x.sin(), attn_mask=m)",
    "attention under numbers": "m = torch.tensor([[0, -torch.inf, 1], [0, 0.5, 2], [-2] * 3])\n"
    "r = F.scaled_dot_product_attention(x, x, x.sin(), m)",
    "attention backward in time": "F.scaled_dot_product_attention(x, x, x.sin(), is_causal=True)",
    "attention in groups": "q = torch.stack([x[0], x[1], x[0] * 2, x[1] + 1])\n"
    "r = F.scaled_dot_product_attention(q, x, x.sin(), enable_gqa=True)",
    "as a tensor": "torch.as_tensor(x * 2)",
    "expanded": "x[:1].expand(5, -1, 4)",
    "complex": "torch.view_as_real(torch.view_as_complex(x.reshape(2, 3, 2, 2)) * 1j)",
    "float64 and back": "(x.double() * 2).float()",
    "choose by a method": "x.where(x > 0, 0) + x.where(x < 0, x * 2)",
    "choose": "torch.where(x > 0, x, 0) + torch.where(x > 0, 1.0, x)",
}
IN_PLACE = {
    "a part is written": "r = torch.zeros(2, 3, 4)\nr[0] = x[1] * 2\nr[..., 0] += x[..., 1]",
    "a result is changed": "r = x * 2\nr.masked_fill_(x > 0, 3.0)\nr += x",
    "a result is used, then changed": "r = x * 2\ny = r * 3\nr += y",
    "packed": """layer = nn.GRU(4, 3, batch_first=True, bidirectional=True)
for one in layer.parameters(): one.data = torch.arange(float(one.numel())).reshape(one.shape).sin()
p = nn.utils.rnn.pack_padded_sequence(x, [2, 3], True, enforce_sorted=False)
p, state = layer(p)
r, lengths = nn.utils.rnn.pad_packed_sequence(p, True, padding_value=0.5, total_length=4)
r = torch.cat([r.flatten(), state.flatten(), lengths.float()])""",
    "packed in float64": """layer = nn.GRU(4, 3, batch_first=True).double()
for one in layer.parameters(): one.data.fill_(0.3)
p, state = layer(nn.utils.rnn.pack_padded_sequence(x.double(), [3, 2], True))
r = torch.cat([nn.utils.rnn.pad_packed_sequence(p)[0].flatten(), state.flatten()])""",
    "packed by an LSTM": """layer = nn.LSTM(4, 3)
for one in layer.parameters(): one.data = torch.arange(float(one.numel())).reshape(one.shape).sin()
start = (torch.ones(1, 3, 3), torch.ones(1, 3, 3) / 2)
p, (h, c) = layer(nn.utils.rnn.pack_padded_sequence(x, torch.tensor([2, 1, 1])), start)
r, lengths = nn.utils.rnn.pad_packed_sequence(p)
r = torch.cat([r.flatten(), h.flatten(), c.flatten(), lengths.float()])""",
    "one of a list": "r = x.clone()\nr[0, :, [1, 3]] = x[1, :, :2]",
}
VALUES = {
    "double": "torch.tensor([1, 2]).double() / 3",
    "int32": "torch.tensor([1.5, 2.0]).int()",
    "int32 by a mask": "torch.tensor([1, 2]).int().masked_fill(torch.tensor([True, False]), 7)",
    "half": "torch.ones(2).half() + 1",
    "full": "[torch.full((2,), 3), torch.full((2,), 3.0), torch.full((2,), True)]",
    "full like": "torch.full_like(torch.tensor([1, 2]), 3)",
    "not": "~torch.tensor([True, False])",
    "or else": "torch.tensor([True, False]) ^ torch.tensor([True, True])",
    "any of several": "torch.zeros(2, 2, 2).any(dim=[0, 1])",
    "abs": "abs(torch.tensor([-1, 2]))",
    "in": "3 in torch.tensor([1, 3])",
    "text": "f'{torch.tensor(1.23456):.2f}'",
    "text of one": "f'{torch.tensor(True)} {torch.tensor([1, 2])}'",
    "printed in full": "torch.set_printoptions(precision=3, sci_mode=False)\n"
    "r = repr(torch.tensor([12345.678, 0.00012, -1.0, 0.5]))\n"
    "torch.set_printoptions(precision=4)\nr",
    "whole number to a power": "torch.tensor([1, 2]) ** 0.5",
    "randint": "torch.randint(5, (2, 3)).shape",
    "polar": "torch.polar(torch.ones(2).double(), torch.ones(2).double())",
    "detached data": "w = nn.Linear(2, 2)\nw.weight.data.fill_(2.0)\nw.weight",
    "a layer in float64": "nn.LayerNorm(2).double()(torch.tensor([1.0, 2.0]).double())",
    "weights shared": "l = nn.Linear(2, 2)\nl.state_dict()['weight'].fill_(3.0)\nl.weight",
    "weights loaded": "l = nn.Linear(1, 1)\nw = l.weight\n"
    "l.load_state_dict({'weight': torch.ones(1, 1), 'bias': torch.ones(1)})\nw",
    "a recurrent layer in float64": "l = nn.GRU(2, 1).double()\n"
    "for one in l.parameters(): one.data.fill_(0.3)\nl(torch.ones(3, 1, 2).double())",
    "a layer by name": "m = nn.Sequential()\nm.add_module('a', nn.ReLU())\nm(-torch.ones(2))",
    "own buffers": "m = nn.Sequential(nn.BatchNorm1d(2))\nlist(m.named_buffers(recurse=False))",
    "filled": "[nn.init.constant_(torch.zeros(2), 3), nn.init.ones_(torch.zeros(2)), "
    "nn.init.zeros_(torch.ones(2))]",
    "drawn": "i = nn.init\nw = torch.ones(2, 3)\n[one(w).shape for one in (i.normal_, i.uniform_, "
    "i.xavier_uniform_, i.xavier_normal_)]",
    "padding of nothing": "F.pad(torch.ones(2, 0, dtype=torch.bool), (1, 0), value=False)",
    "copied deeply": "import copy\nx = torch.ones(2)\ny = copy.deepcopy(x)\ny[0] = 5\n[x, y]",
    "all dimensions kept": "x = torch.ones(2, 3)\n[x.amax(keepdim=True), x.amin(keepdim=True)]",
    **{
        f"{name} of all keeps none": f"try: r = torch.ones(2).{name}(keepdim=True)\n"
        "except TypeError: r = 'refused'\nr"
        for name in ("max", "mean", "min", "prod", "sum")
    },
    "backwards": "list(reversed(torch.tensor([1, 2])))",
    "many steps": "x = torch.ones(1, requires_grad=True)\ny = x\nfor _ in range(3000): y = y + 0\n"
    "torch.autograd.grad(y, x)",
}
DRAWN = {
    "a few normal numbers": "torch.randn(3)\ntorch.randn(2, 4)",
    "many normal numbers": "torch.randn(50, 3)",
    "sixteen normal numbers": "torch.randn(16)",
    "seventeen normal numbers": "torch.randn(17)",
    "uniform numbers": "torch.rand(2, 3)",
    "in float64": "[torch.rand(3, dtype=torch.float64), torch.randn(40, dtype=torch.float64)]",
    "whole numbers": "[torch.randint(10, (4,)), torch.randint(3, 900, (2, 2))]",
    "an order": "[torch.randperm(7), torch.randperm(1), torch.randperm(40)]",
    "by a generator": "g = torch.Generator().manual_seed(5)\n"
    "[torch.randn(4, generator=g), torch.rand(2, generator=g), torch.randn(20), "
    "torch.randint(9, (3,), generator=g), torch.randperm(4, generator=g)]",
    "in place": "[torch.zeros(20).normal_(1.0, 2.0), torch.zeros(5).uniform_(-1, 3)]",
    "like another": "x = torch.zeros(3, 7)\n[torch.randn_like(x), torch.rand_like(x)]",
    "a new layer": "list(nn.Linear(3, 5).parameters())",
    "a new recurrent layer": "list(nn.GRU(2, 3, bidirectional=True).parameters())",
    "new layers": "[*nn.Embedding(7, 4).parameters(), *nn.Conv2d(1, 2, 3).parameters()]",
    "an embedding with padding": "list(nn.Embedding(4, 3, padding_idx=1).parameters())",
    "heads": "list(nn.MultiheadAttention(8, 2, batch_first=True).parameters())",
    "heads without biases": "list(nn.MultiheadAttention(4, 2, bias=False).parameters())",
    "after a state": "s = torch.get_rng_state()\nx = torch.randn(3)\ntorch.set_rng_state(s)\n"
    "[x, torch.randn(3)]",
    "filled at random": "i = nn.init\nw = torch.zeros(4, 6)\n[i.normal_(w).clone(), "
    "i.uniform_(w).clone(), i.xavier_uniform_(w).clone(), i.xavier_normal_(w).clone()]",
}
ERRORS = {
    "a dimension": "torch.ones(2, 3).sum(dim=2)",
    "an index": "torch.ones(2, 3)[0, 7]",
    "an index from the end": "torch.arange(3).gather(0, torch.tensor([-1]))",
    "two dtypes": "torch.ones(2, 2).double() @ torch.ones(2, 2)",
    "two dtypes in a layer": "nn.Linear(2, 2)(torch.ones(2).double())",
    "two dtypes in einsum": "torch.einsum('ij,jk', torch.ones(2, 2).double(), torch.ones(2, 2))",
    "shapes that do not fit": "torch.ones(2, 3) + torch.ones(2, 4)",
    "a target that is no class": "F.cross_entropy(torch.ones(1, 3), torch.tensor([5]))",
    "sizes that do not multiply": "torch.ones(6).unflatten(0, (4, 2))",
    "whole numbers with a gradient": "torch.tensor([1], requires_grad=True)",
    "a leaf written": "torch.ones(2, requires_grad=True).add_(1)",
    "packed out of order": "nn.utils.rnn.pack_padded_sequence(torch.ones(3, 2, 1), [1, 3])",
    "packed of nothing": "nn.utils.rnn.pack_padded_sequence(torch.ones(3, 2, 1), [1, 0])",
    "padded too short": "r = nn.utils.rnn\n"
    "r.pad_packed_sequence(r.pack_padded_sequence(torch.ones(3, 1, 1), [3]), total_length=2)",
    "one row for all": "torch.ones(1, 2).expand(3, 2).add_(1)",
}
LINES = {
    name: f"{X}{one}{GRADIENT}" if "r = " in one else f"{X}r = {one}{GRADIENT}"
    for name, one in GRADIENTS.items()
}
LINES |= {name: f"{X}{one}{GRADIENT}" for name, one in IN_PLACE.items()}
LINES |= VALUES | DRAWN | ERRORS


@cache
def on_numpy() -> dict[str, Any]:
    result = subprocess.run(
        [sys.executable, "-m", "tests.page.on_numpy", "evaluate"],
        input=json.dumps(list(LINES.values())),
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert result.returncode == 0, result.stderr
    return dict(zip(LINES, json.loads(result.stdout), strict=True))


@pytest.mark.parametrize("name", LINES)
def test_it_is_what_pytorch_gives(name):
    assert alike(on_numpy()[name], outcome(LINES[name])), on_numpy()[name]
