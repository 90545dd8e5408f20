"""Of `solutions/vit.py`."""

import itertools

import torch
from torch import nn

from solutions.transformer_block import Encoder, LayerNorm
from solutions.vit import PatchEmbedding, patchify
from tests.exercises.variants import variant


@variant("patchify", about="the channel comes last inside a patch")
def _(images, patch_size):
    B, C, H, W = images.shape
    P = patch_size
    if H % P or W % P:
        raise ValueError("the image does not divide into patches")
    out = []
    for i, j in itertools.product(range(0, H, P), range(0, W, P)):
        patch = images[:, :, i : i + P, j : j + P]
        out.append(patch.permute(0, 2, 3, 1).reshape(B, -1))
    return torch.stack(out, dim=1)


@variant("PatchEmbedding", about="the positions are not added to the class token")
class _(nn.Module):
    def __init__(self, image_size, patch_size, channels, embed_dim):
        super().__init__()
        h, w = (image_size, image_size) if isinstance(image_size, int) else image_size
        self.p = patch_size
        n = (h // patch_size) * (w // patch_size)
        self.projection = nn.Linear(channels * patch_size**2, embed_dim)
        self.class_token = nn.Parameter(torch.zeros(1, 1, embed_dim))
        self.positions = nn.Parameter(torch.randn(1, n + 1, embed_dim))

    def forward(self, images):
        x = self.projection(patchify(images, self.p)) + self.positions[:, 1:]
        return torch.cat([self.class_token.expand(len(images), -1, -1), x], dim=1)


@variant("VisionTransformer", about="the class is read from the mean of all vectors")
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
        return self.head(self.norm(x.mean(dim=1)))


@variant("attention_rollout", about="no residual connection is counted")
def _(weights):
    result = None
    for w in weights:
        a = w.mean(dim=1)
        result = a if result is None else a @ result
    return result


@variant("masked_patch_loss", about="the mean over images of each image's own mean")
def _(predicted, target, mask):
    error = ((predicted - target) ** 2).mean(-1)
    count = mask.sum(1)
    per_image = (error * mask).sum(1) / count.clamp(min=1)
    seen = count > 0
    return (per_image * seen).sum() / seen.sum().clamp(min=1)
