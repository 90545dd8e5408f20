"""Chapter 12 against torch's convolution, folding and encoder layers, slow loops and properties."""

import math

import pytest
import torch
from torch import nn
from torch.autograd import gradcheck
from torch.nn import functional as F

from solutions.multi_head import from_torch
from solutions.vit import (
    PatchEmbedding,
    VisionTransformer,
    attention_rollout,
    masked_patch_loss,
    patchify,
    random_patch_mask,
    unpatchify,
)

SIZES = [(1, 1, 2, 2, 2), (2, 3, 4, 6, 2), (2, 3, 6, 4, 2), (2, 1, 9, 3, 3), (1, 2, 3, 5, 1)]


@pytest.mark.parametrize(("B", "C", "H", "W", "P"), SIZES)
def test_patchify_equals_torchs_unfold(B, C, H, W, P):
    images = torch.randn(B, C, H, W)
    assert torch.equal(patchify(images, P), F.unfold(images, P, stride=P).mT)


@pytest.mark.parametrize(("B", "C", "H", "W", "P"), SIZES)
def test_unpatchify_undoes_patchify_and_patchify_undoes_it(B, C, H, W, P):
    images = torch.randn(B, C, H, W)
    patches = patchify(images, P)
    assert torch.equal(unpatchify(patches, P, C, H, W), images)
    assert torch.equal(patchify(unpatchify(patches, P, C, H, W), P), patches)


def test_patchify_puts_pixels_where_one_counts_them_by_hand():
    image = torch.arange(16.0).reshape(1, 1, 4, 4)
    expected = [[0, 1, 4, 5], [2, 3, 6, 7], [8, 9, 12, 13], [10, 11, 14, 15]]
    assert patchify(image, 2)[0].tolist() == expected


@pytest.mark.parametrize(("height", "width"), [(5, 4), (4, 5), (5, 5)])
def test_patchify_refuses_an_image_that_does_not_divide(height, width):
    with pytest.raises(ValueError, match=f"{height} x {width}"):
        patchify(torch.randn(2, 3, height, width), 2)


@pytest.mark.parametrize(("size", "shape"), [(4, (4, 4)), ((4, 6), (4, 6)), ((6, 4), (6, 4))])
def test_patch_embedding_equals_the_strided_convolution(size, shape):
    layer = PatchEmbedding(size, 2, 3, 8)
    convolution = nn.Conv2d(3, 8, kernel_size=2, stride=2)
    with torch.no_grad():
        layer.projection.weight.copy_(convolution.weight.flatten(1))
        layer.projection.bias.copy_(convolution.bias)
    images = torch.randn(5, 3, *shape)
    patches = convolution(images).flatten(2).mT
    token = layer.class_token.repeat(5, 1, 1)
    expected = torch.cat([token, patches], dim=1) + layer.positions
    torch.testing.assert_close(layer(images), expected)


def test_vision_transformer_equals_torchs_encoder_under_the_same_weights():
    model = VisionTransformer((4, 6), 2, 3, 5, 8, 2, 12, num_layers=3)
    x = model.patch_embedding(images := torch.randn(7, 3, 4, 6))
    for layer in model.encoder.layers:
        theirs = nn.TransformerEncoderLayer(
            8, 2, 12, dropout=0.0, activation="gelu", batch_first=True, norm_first=True
        )
        layer.self_attn.load_state_dict(from_torch(theirs.self_attn).state_dict())
        for mine, their in (
            (layer.feed_forward.linear1, theirs.linear1),
            (layer.feed_forward.linear2, theirs.linear2),
            (layer.norm1, theirs.norm1),
            (layer.norm2, theirs.norm2),
        ):
            nn.init.normal_(their.weight)
            mine.load_state_dict(their.state_dict())
        x = theirs(x)
    logits = model.head(F.layer_norm(x, (8,)))[:, 0]
    torch.testing.assert_close(model(images), logits, rtol=1e-4, atol=1e-5)


def test_vision_transformer_does_not_care_for_the_order_of_patches_without_positions():
    model = VisionTransformer(4, 2, 1, 5, 8, 2, 12, num_layers=2)
    patches = torch.randn(3, 4, 4)
    shuffled = patches[:, torch.tensor([2, 0, 3, 1])]
    images, other = unpatchify(patches, 2, 1, 4, 4), unpatchify(shuffled, 2, 1, 4, 4)
    assert not torch.allclose(model(images), model(other))
    nn.init.zeros_(model.patch_embedding.positions)
    torch.testing.assert_close(model(images), model(other))


def test_every_parameter_of_the_vision_transformer_gets_a_gradient():
    model = VisionTransformer(4, 2, 1, 5, 8, 2, 12, num_layers=2)
    F.cross_entropy(model(torch.randn(3, 1, 4, 4)), torch.tensor([0, 3, 4])).backward()
    still = [name for name, weight in model.named_parameters() if not weight.grad.any()]
    assert still == []


def random_weights(layers, B=2, H=3, N=4):
    return [torch.rand(B, H, N, N, dtype=torch.float64).softmax(-1) for _ in range(layers)]


def test_rollout_adds_up_all_paths_through_the_layers():
    weights = random_weights(3)
    N = 4
    mixing = [0.5 * layer.mean(1) + 0.5 * torch.eye(N).double() for layer in weights]
    expected = torch.zeros(2, N, N, dtype=torch.float64)
    for b in range(2):
        for end in range(N):
            for third in range(N):
                for second in range(N):
                    for start in range(N):
                        path = mixing[2][b, end, third] * mixing[1][b, third, second]
                        expected[b, end, start] += path * mixing[0][b, second, start]
    torch.testing.assert_close(attention_rollout(weights), expected)


@pytest.mark.parametrize("layers", [1, 2, 6])
def test_rollout_rows_are_shares_of_a_whole(layers):
    rollout = attention_rollout(random_weights(layers))
    assert (rollout >= 0).all()
    torch.testing.assert_close(rollout.sum(-1), torch.ones(2, 4, dtype=torch.float64))


def test_rollout_of_layers_that_look_only_at_themselves_is_the_identity():
    eye = torch.eye(4).expand(2, 3, 4, 4)
    assert torch.equal(attention_rollout([eye] * 5), torch.eye(4).expand(2, 4, 4))


def test_rollout_has_the_gradient_that_finite_differences_find():
    weights = [layer.requires_grad_() for layer in random_weights(2)]
    assert gradcheck(lambda *layers: attention_rollout(list(layers)), weights)


@pytest.mark.parametrize("ratio", [0.0, 0.25, 0.5, 0.6, 0.75, 1.0])
@pytest.mark.parametrize("num_patches", [1, 5, 7, 16])
def test_every_row_has_exactly_the_rounded_number_of_masked_patches(num_patches, ratio):
    mask = random_patch_mask(9, num_patches, ratio)
    assert mask.dtype == torch.bool
    assert mask.shape == (9, num_patches)
    assert set(mask.sum(dim=1).tolist()) == {round(ratio * num_patches)}


def test_every_choice_of_patches_is_equally_likely():
    mask = random_patch_mask(6000, 5, 0.4, torch.Generator().manual_seed(1))
    choices, counts = mask.unique(dim=0, return_counts=True)
    assert len(choices) == math.comb(5, 2)
    assert ((counts - 600).abs() < 5 * 600**0.5).all()


def test_the_generator_alone_decides_the_mask():
    first = random_patch_mask(8, 16, 0.75, torch.Generator().manual_seed(5))
    before = torch.get_rng_state()
    generator = torch.Generator().manual_seed(5)
    assert torch.equal(first, random_patch_mask(8, 16, 0.75, generator))
    assert not torch.equal(first, random_patch_mask(8, 16, 0.75, generator))
    assert torch.equal(before, torch.get_rng_state())


def test_masked_patch_loss_equals_a_slow_loop():
    predicted, target = torch.randn(2, 5, 3), torch.randn(2, 5, 3)
    mask = torch.tensor([[1, 0, 0, 1, 1], [0, 1, 0, 0, 0]]).bool()
    squares = [
        (predicted[b, n, k] - target[b, n, k]) ** 2
        for b in range(2)
        for n in range(5)
        for k in range(3)
        if mask[b, n]
    ]
    expected = sum(squares) / len(squares)
    torch.testing.assert_close(masked_patch_loss(predicted, target, mask), expected)


def test_masked_patch_loss_of_every_patch_is_torchs_mean_squared_error():
    predicted, target = torch.randn(2, 5, 3), torch.randn(2, 5, 3)
    everything = torch.ones(2, 5, dtype=torch.bool)
    torch.testing.assert_close(
        masked_patch_loss(predicted, target, everything), F.mse_loss(predicted, target)
    )


def test_masked_patch_loss_has_no_gradient_at_visible_patches():
    predicted = torch.randn(2, 5, 3, requires_grad=True)
    mask = torch.rand(2, 5) < 0.5
    masked_patch_loss(predicted, torch.randn(2, 5, 3), mask).backward()
    assert not predicted.grad[~mask].any()
    assert predicted.grad[mask].all()


def test_masked_patch_loss_of_nothing_is_zero_with_a_zero_gradient():
    predicted = torch.randn(2, 5, 3, requires_grad=True)
    loss = masked_patch_loss(predicted, torch.randn(2, 5, 3), torch.zeros(2, 5).bool())
    loss.backward()
    assert loss.item() == 0
    assert not predicted.grad.any()
