"""Chapter 7 against torch's own multi-head attention, slow loops and properties."""

import math

import pytest
import torch
from torch import nn
from torch.autograd import gradcheck

from solutions.multi_head import (
    MultiHeadAttention,
    attention_parameter_count,
    from_torch,
    merge_heads,
    split_heads,
)


def torchs(embed_dim, num_heads, **options):
    """Torch's layer with biases that are not zero, as they are at first."""
    layer = nn.MultiheadAttention(embed_dim, num_heads, batch_first=True, **options).eval()
    for parameter in layer.parameters():
        nn.init.normal_(parameter, std=0.5)
    return layer


def test_split_heads_gives_each_head_its_own_features():
    x = torch.randn(2, 5, 12)
    heads = split_heads(x, 3)
    assert heads.shape == (2, 3, 5, 4)
    for h in range(3):
        assert torch.equal(heads[:, h], x[:, :, 4 * h : 4 * (h + 1)])


@pytest.mark.parametrize("num_heads", [1, 2, 3, 4, 6, 12])
def test_merge_heads_undoes_split_heads_exactly(num_heads):
    x = torch.randn(2, 5, 12)
    assert torch.equal(merge_heads(split_heads(x, num_heads)), x)
    heads = torch.randn(2, num_heads, 5, 12 // num_heads)
    assert torch.equal(split_heads(merge_heads(heads), num_heads), heads)


@pytest.mark.parametrize(
    "build", [MultiHeadAttention, lambda E, H: split_heads(torch.ones(1, 2, E), H)]
)
def test_features_that_heads_cannot_share_are_refused_by_both_numbers(build):
    with pytest.raises(ValueError, match=r"10\b.*\b4\b"):
        build(10, 4)


def test_the_sizes_of_the_paper():
    heads = split_heads(torch.randn(1, 3, 512), 8)
    assert heads.shape == (1, 8, 3, 64)  # Vaswani et al. 2017, section 3.2.2: h = 8, d_k = 64


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("num_heads", [1, 3, 12])
def test_attention_equals_torchs_layer_with_its_weights(num_heads, bias):
    theirs = torchs(12, num_heads, bias=bias)
    ours = from_torch(theirs)
    query, key, value = torch.randn(2, 5, 12), torch.randn(2, 7, 12), torch.randn(2, 7, 12)
    expected = theirs(query, key, value, average_attn_weights=False)
    torch.testing.assert_close(ours(query, key, value), expected, rtol=1e-5, atol=1e-5)


def test_attention_equals_torchs_layer_under_masks_of_the_opposite_sense():
    theirs, ours = torchs(12, 3), None
    ours = from_torch(theirs)
    x = torch.randn(2, 5, 12)
    causal = torch.ones(5, 5, dtype=torch.bool).tril()
    real = torch.tensor([[1, 1, 1, 1, 1], [1, 1, 1, 0, 0]], dtype=torch.bool)
    expected = theirs(
        x, x, x, attn_mask=~causal, key_padding_mask=~real, average_attn_weights=False
    )
    got = ours(x, x, x, causal & real[:, None, None, :])
    torch.testing.assert_close(got, expected, rtol=1e-5, atol=1e-5)


def test_attention_has_the_gradients_of_torchs_layer():
    theirs = torchs(12, 3)
    ours = from_torch(theirs)
    x = torch.randn(2, 5, 12)
    mine, other = x.clone().requires_grad_(), x.clone().requires_grad_()
    direction = torch.randn(2, 5, 12)
    (ours(mine, mine, mine)[0] * direction).sum().backward()
    (theirs(other, other, other)[0] * direction).sum().backward()
    torch.testing.assert_close(mine.grad, other.grad, rtol=1e-4, atol=1e-4)
    rows = torch.cat([ours.W_q.weight.grad, ours.W_k.weight.grad, ours.W_v.weight.grad])
    torch.testing.assert_close(rows, theirs.in_proj_weight.grad, rtol=1e-4, atol=1e-4)
    torch.testing.assert_close(
        ours.W_o.weight.grad, theirs.out_proj.weight.grad, rtol=1e-4, atol=1e-4
    )


def test_every_head_is_a_single_attention_with_its_rows_of_the_matrices():
    layer = MultiHeadAttention(12, 3)
    query, key = torch.randn(2, 5, 12), torch.randn(2, 7, 12)
    output, weights = layer(query, key, key)
    found = []
    for h in range(3):
        rows = slice(4 * h, 4 * (h + 1))
        q, k, v = (
            x @ linear.weight[rows].T + linear.bias[rows]
            for x, linear in ((query, layer.W_q), (key, layer.W_k), (key, layer.W_v))
        )
        alone = torch.softmax(q @ k.mT / math.sqrt(4), dim=-1)
        torch.testing.assert_close(weights[:, h], alone)
        found.append(alone @ v)
    torch.testing.assert_close(output, layer.W_o(torch.cat(found, dim=-1)))


@pytest.mark.parametrize("shape", [(5, 7), (1, 1, 5, 7), (2, 1, 1, 7), (2, 3, 5, 7), (3, 1, 7), ()])
def test_a_mask_broadcasts_and_blocks_with_weights_of_exactly_zero(shape):
    layer = MultiHeadAttention(12, 3)
    query, key = torch.randn(2, 5, 12), torch.randn(2, 7, 12)
    mask = torch.rand(shape) < 0.6
    output, weights = layer(query, key, key, mask)
    whole = mask.expand(2, 3, 5, 7)
    assert not weights[~whole].any()
    sums = whole.any(dim=-1).float()
    torch.testing.assert_close(weights.sum(dim=-1), sums)
    assert output.isfinite().all()


def test_a_masked_key_gets_a_gradient_of_exactly_zero():
    layer = MultiHeadAttention(12, 3)
    query = torch.randn(2, 5, 12)
    key, value = (torch.randn(2, 7, 12, requires_grad=True) for _ in range(2))
    mask = torch.ones(7, dtype=torch.bool)
    mask[4] = False
    layer(query, key, value, mask)[0].square().sum().backward()
    for given in (key, value):
        assert not given.grad[:, 4].any()
        assert given.grad[:, :4].any()


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64])
def test_a_query_with_nothing_to_attend_to_gives_the_bias_and_finite_gradients(dtype):
    layer = MultiHeadAttention(12, 3).to(dtype)
    x = torch.randn(2, 5, 12, dtype=dtype, requires_grad=True)
    mask = torch.ones(2, 1, 5, 5, dtype=torch.bool)
    mask[1, :, 3] = False
    output, weights = layer(x, x, x, mask)
    assert not weights[1, :, 3].any()
    assert torch.equal(output[1, 3], layer.W_o.bias)
    output.square().sum().backward()
    assert all(given.grad.isfinite().all() for given in (x, *layer.parameters()))


def test_attention_has_the_gradient_that_finite_differences_find():
    layer = MultiHeadAttention(4, 2).double()
    mask = torch.tensor([[True, False, True], [False, False, False]])
    inputs = [torch.randn(1, n, 4, dtype=torch.float64, requires_grad=True) for n in (2, 3, 3)]
    assert gradcheck(lambda q, k, v: layer(q, k, v, mask), inputs)


def test_the_order_of_the_keys_does_not_matter():
    layer = MultiHeadAttention(12, 3)
    query, key, value = torch.randn(2, 5, 12), torch.randn(2, 7, 12), torch.randn(2, 7, 12)
    order = torch.randperm(7)
    torch.testing.assert_close(
        layer(query, key[:, order], value[:, order])[0], layer(query, key, value)[0]
    )


@pytest.mark.parametrize("batch_first", [True, False])
def test_from_torch_is_batch_first_whatever_the_source(batch_first):
    theirs = nn.MultiheadAttention(12, 3, batch_first=batch_first)
    x = torch.randn(2, 5, 12)
    given = x if batch_first else x.transpose(0, 1)
    expected = theirs(given, given, given)[0]
    expected = expected if batch_first else expected.transpose(0, 1)
    torch.testing.assert_close(from_torch(theirs)(x, x, x)[0], expected, rtol=1e-5, atol=1e-5)


def test_from_torch_keeps_float64():
    theirs = torchs(12, 3).double()
    ours = from_torch(theirs)
    x = torch.randn(2, 5, 12, dtype=torch.float64)
    torch.testing.assert_close(ours(x, x, x)[0], theirs(x, x, x)[0], rtol=1e-12, atol=1e-12)


def test_from_torch_shares_no_weights_with_the_source():
    theirs = torchs(12, 3)
    before = {name: tensor.clone() for name, tensor in theirs.state_dict().items()}
    ours = from_torch(theirs)
    for parameter in ours.parameters():
        nn.init.zeros_(parameter)
        assert parameter.requires_grad
    for name, tensor in theirs.state_dict().items():
        assert torch.equal(tensor, before[name])


@pytest.mark.parametrize("other", ["kdim", "vdim"])
def test_from_torch_refuses_a_source_with_other_sizes(other):
    with pytest.raises(ValueError, match=other):
        from_torch(nn.MultiheadAttention(12, 3, **{other: 8}))


@pytest.mark.parametrize(("embed_dim", "num_heads"), [(512, 8), (512, 1), (768, 12), (6, 3)])
def test_the_count_is_that_of_the_layers_parameters(embed_dim, num_heads):
    for layer in (
        MultiHeadAttention(embed_dim, num_heads),
        nn.MultiheadAttention(embed_dim, num_heads),
    ):
        count = sum(parameter.numel() for parameter in layer.parameters())
        assert attention_parameter_count(embed_dim, num_heads) == count
