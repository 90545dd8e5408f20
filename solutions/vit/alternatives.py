"""Chapter 12 in other styles."""

import torch
from torch import nn
from torch.nn import functional as F

from autograder.checking.samples import alternative
from solutions.transformer_block import Encoder, LayerNorm
from solutions.vit import PatchEmbedding, patchify


@alternative("patchify", "einops")
def _(images, patch_size):
    from einops import rearrange

    if images.shape[-2] % patch_size or images.shape[-1] % patch_size:
        raise ValueError(f"{tuple(images.shape[-2:])} is not divisible by {patch_size}")
    pattern = "b c (h p) (w q) -> b (h w) (c p q)"
    return rearrange(images, pattern, p=patch_size, q=patch_size)


@alternative("patchify", "unfold")
def _(images, patch_size):
    height, width = images.size(2), images.size(3)
    if height % patch_size != 0 or width % patch_size != 0:
        raise ValueError("the patch size must divide the height and the width")
    return F.unfold(images, patch_size, stride=patch_size).transpose(1, 2)


@alternative("patchify", "loops")
def _(images, patch_size):
    _, _, height, width = images.shape
    if height % patch_size or width % patch_size:
        raise ValueError(f"cannot cut {height} x {width} into patches of {patch_size}")
    patches = []
    for top in range(0, height, patch_size):
        for left in range(0, width, patch_size):
            patch = images[:, :, top : top + patch_size, left : left + patch_size]
            patches.append(patch.flatten(1))
    return torch.stack(patches, dim=1)


@alternative("unpatchify", "einops")
def _(patches, patch_size, channels, height, width):
    from einops import rearrange

    sizes = {"c": channels, "h": height // patch_size, "p": patch_size, "q": patch_size}
    return rearrange(patches, "b (h w) (c p q) -> b c (h p) (w q)", **sizes)


@alternative("unpatchify", "fold")
def _(patches, patch_size, channels, height, width):
    return F.fold(patches.transpose(1, 2), (height, width), patch_size, stride=patch_size)


@alternative("unpatchify", "rows of patches")
def _(patches, patch_size, channels, height, width):
    per_row = width // patch_size
    squares = [
        patches[:, n].reshape(-1, channels, patch_size, patch_size) for n in range(patches.shape[1])
    ]
    rows = [
        torch.cat(squares[start : start + per_row], dim=3)
        for start in range(0, len(squares), per_row)
    ]
    return torch.cat(rows, dim=2)


@alternative("PatchEmbedding", "convolution with the projection's weights")
class _(nn.Module):
    def __init__(self, image_size, patch_size, channels, embed_dim):
        super().__init__()
        if not isinstance(image_size, tuple):
            image_size = (image_size, image_size)
        self.kernel = (channels, patch_size, patch_size)
        count = image_size[0] * image_size[1] // patch_size**2
        self.projection = nn.Linear(channels * patch_size**2, embed_dim)
        self.class_token = nn.Parameter(torch.zeros(1, 1, embed_dim))
        self.positions = nn.Parameter(torch.zeros(1, count + 1, embed_dim))

    def forward(self, images):
        weight = self.projection.weight.unflatten(1, self.kernel)
        features = F.conv2d(images, weight, self.projection.bias, stride=self.kernel[1])
        patches = features.flatten(2).mT + self.positions[:, 1:]
        token = (self.class_token + self.positions[:, :1]).repeat(images.shape[0], 1, 1)
        return torch.hstack([token, patches])


@alternative("PatchEmbedding", "einops")
class _(nn.Module):
    def __init__(self, image_size, patch_size, channels, embed_dim):
        super().__init__()
        height, width = image_size if not isinstance(image_size, int) else (image_size,) * 2
        self.side = patch_size
        self.projection = nn.Linear(patch_size * patch_size * channels, embed_dim)
        self.class_token = nn.Parameter(torch.randn(1, 1, embed_dim))
        number = (height // patch_size) * (width // patch_size)
        self.positions = nn.Parameter(torch.randn(1, 1 + number, embed_dim))

    def forward(self, images):
        from einops import pack, rearrange, repeat

        pattern = "b c (h p) (w q) -> b (h w) (c p q)"
        patches = self.projection(rearrange(images, pattern, p=self.side, q=self.side))
        token = repeat(self.class_token, "1 1 e -> b 1 e", b=len(images))
        sequence, _ = pack([token, patches], "b * e")
        return sequence + self.positions


@alternative("VisionTransformer", "torch's encoder layers inside")
class _(nn.Module):
    def __init__(
        self,
        image_size,
        patch_size,
        channels,
        num_classes,
        embed_dim,
        num_heads,
        hidden_dim,
        num_layers,
    ):
        super().__init__()
        self.num_heads = num_heads
        self.patch_embedding = PatchEmbedding(image_size, patch_size, channels, embed_dim)
        self.encoder = Encoder(num_layers, embed_dim, num_heads, hidden_dim, 0.0, True, "gelu")
        self.norm = nn.LayerNorm(embed_dim)
        self.head = nn.Linear(embed_dim, num_classes)

    def forward(self, images):
        x = self.patch_embedding(images)
        for layer in self.encoder.layers:
            weights = layer.self_attn
            seen = F.layer_norm(x, x.shape[-1:], layer.norm1.weight, layer.norm1.bias)
            query, key, value = (
                linear(seen).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
                for linear in (weights.W_q, weights.W_k, weights.W_v)
            )
            heads = F.scaled_dot_product_attention(query, key, value)
            x = x + weights.W_o(heads.transpose(1, 2).flatten(2))
            seen = F.layer_norm(x, x.shape[-1:], layer.norm2.weight, layer.norm2.bias)
            hidden = F.gelu(layer.feed_forward.linear1(seen))
            x = x + layer.feed_forward.linear2(hidden)
        return self.head(self.norm(x)[:, 0])


@alternative("VisionTransformer", "earlier classes, read from the front")
class _(nn.Module):
    def __init__(
        self,
        image_size,
        patch_size,
        channels,
        num_classes,
        embed_dim,
        num_heads,
        hidden_dim,
        num_layers,
    ):
        super().__init__()
        options = {"norm_first": True, "activation": "gelu"}
        self.head = nn.Linear(embed_dim, num_classes)
        self.norm = LayerNorm(embed_dim)
        self.encoder = Encoder(num_layers, embed_dim, num_heads, hidden_dim, **options)
        self.patch_embedding = PatchEmbedding(image_size, patch_size, channels, embed_dim)

    def forward(self, images):
        sequence, _ = self.encoder(self.patch_embedding(images))
        class_token, *_ = self.norm(sequence).unbind(dim=1)
        return self.head(class_token)


@alternative("attention_rollout", "rows normalized, as the paper's code does it")
def _(weights):
    rollout = None
    for layer in weights:
        mixing = layer.mean(1)
        mixing = mixing + torch.eye(mixing.size(-1)).to(mixing)
        mixing = mixing / mixing.sum(dim=-1, keepdim=True)
        rollout = mixing if rollout is None else torch.bmm(mixing, rollout)
    return rollout


@alternative("attention_rollout", "from the last layer backwards, einsum")
def _(weights):
    batch, _, size, _ = weights[-1].shape
    rollout = torch.eye(size, dtype=weights[-1].dtype).repeat(batch, 1, 1)
    for layer in reversed(weights):
        attended = torch.einsum("bij,bhjk->bik", rollout, layer) / layer.shape[1]
        rollout = 0.5 * attended + 0.5 * rollout
    return rollout


@alternative("random_patch_mask", "a permutation a row")
def _(batch, num_patches, ratio, generator=None):
    mask = torch.zeros(batch, num_patches, dtype=torch.bool)
    for row in mask:
        row[torch.randperm(num_patches, generator=generator)[: round(ratio * num_patches)]] = True
    return mask


@alternative("random_patch_mask", "the largest of random numbers")
def _(batch, num_patches, ratio, generator=None):
    noise = torch.rand((batch, num_patches), generator=generator)
    chosen = noise.topk(round(num_patches * ratio), dim=-1).indices
    return torch.zeros(batch, num_patches).scatter(1, chosen, 1.0) > 0


@alternative("masked_patch_loss", "weights of zero and one")
def _(predicted, target, mask):
    counted = mask.unsqueeze(-1).expand_as(predicted).to(predicted.dtype)
    return ((predicted - target) ** 2 * counted).sum() / counted.sum().clamp(min=1)


@alternative("masked_patch_loss", "library loss of what is selected")
def _(predicted, target, mask):
    if not mask.any():
        return predicted.sum() * 0
    return F.mse_loss(predicted[mask], target[mask])


@alternative("masked_patch_loss", "mean a patch, then over the patches")
def _(predicted, target, mask):
    a_patch = (predicted - target).square().mean(dim=-1)
    return torch.where(mask, a_patch, 0.0).sum() / max(int(mask.sum()), 1)


@alternative("patchify", "from the docstring")
def _(images, patch_size):
    B, C, H, W = images.shape
    P = patch_size
    if H % P or W % P:
        raise ValueError("does not divide")
    x = images.reshape(B, C, H // P, P, W // P, P)
    return x.permute(0, 2, 4, 1, 3, 5).reshape(B, -1, C * P * P)


@alternative("unpatchify", "from the docstring")
def _(patches, patch_size, channels, height, width):
    P = patch_size
    B = patches.shape[0]
    x = patches.reshape(B, height // P, width // P, channels, P, P)
    return x.permute(0, 3, 1, 4, 2, 5).reshape(B, channels, height, width)


@alternative("PatchEmbedding", "from the docstring")
class _(nn.Module):
    def __init__(self, image_size, patch_size, channels, embed_dim):
        super().__init__()
        h, w = image_size if isinstance(image_size, tuple) else (image_size, image_size)
        N = (h // patch_size) * (w // patch_size)
        self.patch_size = patch_size
        self.projection = nn.Linear(channels * patch_size**2, embed_dim)
        self.class_token = nn.Parameter(torch.randn(1, 1, embed_dim) * 0.02)
        self.positions = nn.Parameter(torch.randn(1, N + 1, embed_dim) * 0.02)

    def forward(self, images):
        x = self.projection(patchify(images, self.patch_size))
        token = self.class_token.expand(len(x), -1, -1)
        return torch.cat([token, x], dim=1) + self.positions


@alternative("VisionTransformer", "from the docstring")
class _(nn.Module):
    def __init__(
        self,
        image_size,
        patch_size,
        channels,
        num_classes,
        embed_dim,
        num_heads,
        hidden_dim,
        num_layers,
    ):
        super().__init__()
        self.patch_embedding = PatchEmbedding(image_size, patch_size, channels, embed_dim)
        self.encoder = Encoder(
            num_layers, embed_dim, num_heads, hidden_dim, norm_first=True, activation="gelu"
        )
        self.norm = LayerNorm(embed_dim)
        self.head = nn.Linear(embed_dim, num_classes)

    def forward(self, images):
        x, _ = self.encoder(self.patch_embedding(images))
        return self.head(self.norm(x[:, 0]))


@alternative("attention_rollout", "from the docstring")
def _(weights):
    result = None
    for layer in weights:
        a = layer.mean(dim=1)
        a = (a + torch.eye(a.shape[-1], dtype=a.dtype)) / 2
        result = a if result is None else a @ result
    return result


@alternative("random_patch_mask", "from the docstring")
def _(batch, num_patches, ratio, generator=None):
    k = round(ratio * num_patches)
    order = torch.rand(batch, num_patches, generator=generator).argsort(dim=1)
    return order < k


@alternative("masked_patch_loss", "from the docstring")
def _(predicted, target, mask):
    square = (predicted - target) ** 2
    square = torch.where(mask[..., None], square, torch.zeros_like(square))
    return square.sum() / (mask.sum() * predicted.shape[-1]).clamp(min=1)
