"""Chapter 9 against torch's own layers under the same weights, and properties."""

import math

import pytest
import torch
from torch import nn
from torch.autograd import gradcheck

from solutions.masked import causal_mask, padding_mask
from solutions.transformer_block import Encoder, EncoderBlock, FeedForward, LayerNorm


def filled(layer):
    """The layer with weights and biases that are all random."""
    for parameter in layer.parameters():
        nn.init.normal_(parameter, std=0.5)
    return layer


def with_weights(block, theirs):
    """Our block with the weights of torch's layer."""
    state = {f"{norm}.{kind}": None for norm in ("norm1", "norm2") for kind in ("weight", "bias")}
    state = {name: theirs.state_dict()[name] for name in state}
    for kind in ("weight", "bias"):
        parts = theirs.state_dict()[f"self_attn.in_proj_{kind}"].chunk(3)
        for name, part in zip("qkv", parts, strict=True):
            state[f"self_attn.W_{name}.{kind}"] = part
        state[f"self_attn.W_o.{kind}"] = theirs.state_dict()[f"self_attn.out_proj.{kind}"]
        for linear in ("linear1", "linear2"):
            state[f"feed_forward.{linear}.{kind}"] = theirs.state_dict()[f"{linear}.{kind}"]
    block.load_state_dict(state)
    return block


@pytest.mark.parametrize("eps", [1e-5, 1e-12, 0.1])
@pytest.mark.parametrize("shape", [(8,), (3, 8), (2, 3, 4, 8)])
def test_layer_norm_equals_torchs_with_its_gradients(shape, eps):
    ours, theirs = filled(LayerNorm(8, eps)), nn.LayerNorm(8, eps)
    theirs.load_state_dict(ours.state_dict())
    x = torch.randn(shape)
    mine, other = x.clone().requires_grad_(), x.clone().requires_grad_()
    torch.testing.assert_close(ours(mine), theirs(other))
    direction = torch.randn(shape)
    (ours(mine) * direction).sum().backward()
    (theirs(other) * direction).sum().backward()
    torch.testing.assert_close(mine.grad, other.grad, rtol=1e-4, atol=1e-5)
    for one, two in zip(ours.parameters(), theirs.parameters(), strict=True):
        torch.testing.assert_close(one.grad, two.grad, rtol=1e-4, atol=1e-5)


def test_a_new_layer_norm_gives_mean_zero_and_variance_one():
    y = LayerNorm(64)(5 + 3 * torch.randn(10, 64))
    torch.testing.assert_close(y.mean(dim=-1), torch.zeros(10), atol=1e-5, rtol=0)
    torch.testing.assert_close(y.var(dim=-1, correction=0), torch.ones(10), atol=1e-4, rtol=0)


def test_layer_norm_of_equal_entries_is_its_bias_with_finite_gradients():
    layer = filled(LayerNorm(8))
    x = torch.full((2, 8), 3.0, requires_grad=True)
    y = layer(x)
    y.sum().backward()
    torch.testing.assert_close(y, layer.bias.expand(2, 8))
    assert x.grad.isfinite().all()


def test_layer_norm_has_the_gradient_that_finite_differences_find():
    assert gradcheck(
        filled(LayerNorm(5)).double(), torch.randn(3, 5, dtype=torch.float64, requires_grad=True)
    )


@pytest.mark.parametrize("activation", ["relu", "gelu"])
def test_feed_forward_equals_torchs_modules_in_a_row(activation):
    ours = FeedForward(6, 10, activation)
    between = {"relu": nn.ReLU(), "gelu": nn.GELU(approximate="none")}[activation]
    theirs = nn.Sequential(ours.linear1, between, ours.linear2)
    x = torch.randn(2, 3, 6)
    torch.testing.assert_close(ours(x), theirs(x))


def test_gelu_is_x_times_the_normal_distributions_probability_below_x():
    layer = FeedForward(1, 1, "gelu")
    for linear in (layer.linear1, layer.linear2):
        nn.init.ones_(linear.weight)
        nn.init.zeros_(linear.bias)
    x = torch.linspace(-3, 3, 7).unsqueeze(-1)
    expected = [[v * 0.5 * (1 + math.erf(v / math.sqrt(2)))] for v in x.flatten().tolist()]
    torch.testing.assert_close(layer(x), torch.tensor(expected))


def test_feed_forward_has_the_parameters_of_the_papers_base_model():
    count = sum(parameter.numel() for parameter in FeedForward(512, 2048).parameters())
    assert count == 2 * 512 * 2048 + 2048 + 512  # Vaswani et al. 2017, section 3.3


@pytest.mark.parametrize(
    "build",
    [
        lambda name: FeedForward(6, 10, name),
        lambda name: EncoderBlock(6, 2, 10, activation=name),
        lambda name: Encoder(1, 6, 2, 10, activation=name),
    ],
)
@pytest.mark.parametrize("name", ["tanh", "GELU", ""])
def test_an_unknown_activation_is_refused_when_the_layer_is_made(build, name):
    with pytest.raises(ValueError, match=f"'{name}'"):
        build(name)


@pytest.mark.parametrize("activation", ["relu", "gelu"])
@pytest.mark.parametrize("norm_first", [False, True])
@pytest.mark.parametrize("masked", ["no mask", "causal", "padding", "both"])
def test_encoder_block_equals_torchs_layer_with_its_weights(activation, norm_first, masked):
    theirs = filled(
        nn.TransformerEncoderLayer(
            12, 3, 10, 0.0, activation, batch_first=True, norm_first=norm_first
        )
    )
    ours = with_weights(
        EncoderBlock(12, 3, 10, norm_first=norm_first, activation=activation), theirs
    )
    x = torch.randn(2, 5, 12)
    causal = causal_mask(5) if masked in ("causal", "both") else None
    real = padding_mask(torch.tensor([5, 3]), 5) if masked in ("padding", "both") else None
    expected = theirs(
        x,
        src_mask=None if causal is None else ~causal,
        src_key_padding_mask=None if real is None else ~real,
    )
    mask = None
    if masked != "no mask":
        mask = torch.ones(2, 1, 5, 5, dtype=torch.bool)
        mask = mask if causal is None else mask & causal
        mask = mask if real is None else mask & real[:, None, None, :]
    output, weights = ours(x, mask)
    torch.testing.assert_close(output, expected, rtol=1e-4, atol=1e-5)
    assert weights.shape == (2, 3, 5, 5)


@pytest.mark.parametrize("norm_first", [False, True])
def test_encoder_block_has_the_gradients_of_torchs_layer(norm_first):
    theirs = filled(
        nn.TransformerEncoderLayer(12, 3, 10, 0.0, batch_first=True, norm_first=norm_first)
    )
    ours = with_weights(EncoderBlock(12, 3, 10, norm_first=norm_first), theirs)
    x, direction = torch.randn(2, 5, 12), torch.randn(2, 5, 12)
    mine, other = x.clone().requires_grad_(), x.clone().requires_grad_()
    (ours(mine)[0] * direction).sum().backward()
    (theirs(other) * direction).sum().backward()
    torch.testing.assert_close(mine.grad, other.grad, rtol=1e-3, atol=1e-4)
    for one, two in (
        (ours.norm1.weight, theirs.norm1.weight),
        (ours.norm2.bias, theirs.norm2.bias),
        (ours.feed_forward.linear1.weight, theirs.linear1.weight),
        (ours.self_attn.W_o.weight, theirs.self_attn.out_proj.weight),
    ):
        torch.testing.assert_close(one.grad, two.grad, rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("norm_first", [False, True])
def test_encoder_equals_torchs_layers_one_after_the_other(norm_first):
    theirs = [
        filled(nn.TransformerEncoderLayer(12, 3, 10, 0.0, batch_first=True, norm_first=norm_first))
        for _ in range(3)
    ]
    ours = Encoder(3, 12, 3, 10, norm_first=norm_first)
    for layer, source in zip(ours.layers, theirs, strict=True):
        with_weights(layer, source)
    x = torch.randn(2, 5, 12)
    output, weights = ours(x, causal_mask(5))
    for layer in theirs:
        x = layer(x, src_mask=~causal_mask(5))
    torch.testing.assert_close(output, x, rtol=1e-4, atol=1e-5)
    assert [tuple(each.shape) for each in weights] == [(2, 3, 5, 5)] * 3


def test_the_layers_of_an_encoder_share_no_weights():
    layers = Encoder(3, 12, 3, 10).layers
    pointers = {parameter.data_ptr() for layer in layers for parameter in layer.parameters()}
    assert len(pointers) == 3 * sum(1 for _ in layers[0].parameters())
    assert not torch.equal(layers[0].self_attn.W_q.weight, layers[1].self_attn.W_q.weight)


def test_an_encoder_without_layers_returns_its_input():
    x = torch.randn(2, 5, 12)
    output, weights = Encoder(0, 12, 3, 10)(x)
    assert torch.equal(output, x)
    assert weights == []


@pytest.mark.parametrize("norm_first", [False, True])
def test_positions_mix_in_the_attention_alone(norm_first):
    block = EncoderBlock(4, 2, 6, norm_first=norm_first)
    alone = torch.eye(5, dtype=torch.bool)  # each position may attend to itself only
    x = torch.randn(1, 5, 4)
    jacobian = torch.autograd.functional.jacobian(lambda x: block(x, alone)[0], x)[0, :, :, 0]
    for i in range(5):
        for j in range(5):
            assert jacobian[i, :, j].any() == (i == j)


@pytest.mark.parametrize("norm_first", [False, True])
def test_a_causal_encoder_does_not_look_ahead(norm_first):
    encoder = Encoder(3, 12, 3, 10, norm_first=norm_first).double()
    x = torch.randn(2, 6, 12, dtype=torch.float64, requires_grad=True)
    for i in range(6):
        (gradient,) = torch.autograd.grad(encoder(x, causal_mask(6))[0][:, i].sum(), x)
        assert not gradient[:, i + 1 :].any()
    changed = x.detach().clone()
    changed[:, 4:] += 1
    before, after = encoder(x, causal_mask(6))[0], encoder(changed, causal_mask(6))[0]
    assert torch.equal(before[:, :4], after[:, :4])


def test_padding_changes_nothing_before_it():
    encoder = Encoder(2, 12, 3, 10)
    x = torch.randn(1, 6, 12)
    real = padding_mask(torch.tensor([4]), 6)[:, None, None, :]
    torch.testing.assert_close(encoder(x, real)[0][:, :4], encoder(x[:, :4])[0])


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64])
@pytest.mark.parametrize("norm_first", [False, True])
def test_positions_with_nothing_to_attend_to_are_finite_forwards_and_backwards(dtype, norm_first):
    encoder = Encoder(2, 12, 3, 10, norm_first=norm_first).to(dtype)
    x = torch.randn(2, 5, 12, dtype=dtype, requires_grad=True)
    mask = causal_mask(5).repeat(2, 1, 1, 1)
    mask[1, :, 2] = False
    output, weights = encoder(x, mask)
    output.square().sum().backward()
    assert output.dtype == dtype
    assert all(not each[1, :, 2].any() for each in weights)
    assert all(given.grad.isfinite().all() for given in (x, *encoder.parameters()))


@pytest.mark.parametrize("norm_first", [False, True])
def test_dropout_is_on_the_branches_alone_and_only_in_training(norm_first):
    block = filled(EncoderBlock(12, 3, 10, dropout=1.0, norm_first=norm_first))
    x = torch.randn(2, 5, 12)
    expected = x if norm_first else block.norm2(block.norm1(x))
    torch.testing.assert_close(block(x)[0], expected)
    plain = filled(EncoderBlock(12, 3, 10, norm_first=norm_first))
    plain.load_state_dict(block.state_dict())
    assert torch.equal(block.eval()(x)[0], plain(x)[0])
