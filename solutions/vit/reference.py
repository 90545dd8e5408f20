"""Chapter 12, the Vision Transformer: an image is a sequence of patches."""

import torch
from torch import Tensor, nn

from solutions.transformer_block import Encoder, LayerNorm


def patchify(images: Tensor, patch_size: int) -> Tensor:
    """Cut every image into square patches, and write each patch as one vector: a word of the image.

    Patches come in row-major order: left to right, then the next row of patches. Inside a patch
    the channel comes first, then the row, then the column: pixel (c, i, j) of a patch is entry
    c * P * P + i * P + j of its vector, with P = patch_size.

    Shapes: images (B, C, height, width), not necessarily square; returns (B, N, C * P * P) with
    N = (height / P) * (width / P).
    Raises ValueError if height or width is not divisible by patch_size.
    Gradients reach `images`. Inputs and earlier results are left unchanged; non-contiguous inputs
    and float64 work.
    Source: Dosovitskiy et al. 2021, section 3.1.
    """
    B, C, height, width = images.shape
    P = patch_size
    if height % P or width % P:
        raise ValueError(f"patchify: {height} x {width} pixels do not divide into patches of {P}")
    grid = images.reshape(B, C, height // P, P, width // P, P)
    grid = grid.permute(0, 2, 4, 1, 3, 5)  # (B, height / P, width / P, C, P, P)
    return grid.reshape(B, (height // P) * (width // P), C * P * P)  # (B, N, C * P * P)


def unpatchify(patches: Tensor, patch_size: int, channels: int, height: int, width: int) -> Tensor:
    """Put patches back together into images: the exact inverse of `patchify`.

    Shapes: patches (B, N, C * P * P) in the order of `patchify`, with C = channels,
    P = patch_size and N = (height / P) * (width / P); returns (B, C, height, width). The image need
    not be square.
    Gradients reach `patches`. Inputs and earlier results are left unchanged; non-contiguous inputs
    and float64 work.
    Source: Dosovitskiy et al. 2021, section 3.1, read backwards.
    """
    B, C, P = patches.shape[0], channels, patch_size
    grid = patches.reshape(B, height // P, width // P, C, P, P)
    grid = grid.permute(0, 3, 1, 4, 2, 5)  # (B, C, height / P, P, width / P, P)
    return grid.reshape(B, C, height, width)


class PatchEmbedding(nn.Module):
    """Images as a sequence of vectors: projected patches, a class token before them, positions.

    `PatchEmbedding(image_size, patch_size, channels, embed_dim)`, where image_size is the side of a
    square image or the pair (height, width), has `projection`, an
    `nn.Linear(channels * P * P, embed_dim)` over the vectors of `patchify` with P = patch_size, and
    the parameters `class_token` (1, 1, E) and `positions` (1, N + 1, E), for the N patches of an
    image and the token.

    `forward(images)` puts the class token before the projected patches, the same token for every
    image, and then adds the positions to all N + 1 vectors.
    Shapes: images (B, C, height, width); returns (B, N + 1, E).
    The values that weights have before any training are free.
    Equals a convolution of kernel and stride P with the same weights, token and positions added.
    Gradients reach `images` and all parameters. Inputs and earlier results are left unchanged;
    non-contiguous inputs and float64 work.
    Source: Dosovitskiy et al. 2021, section 3.1, equation 1.
    """

    def __init__(
        self, image_size: int | tuple[int, int], patch_size: int, channels: int, embed_dim: int
    ) -> None:
        super().__init__()
        P = patch_size
        height, width = (image_size, image_size) if isinstance(image_size, int) else image_size
        N = (height // P) * (width // P)
        self.patch_size = patch_size
        self.projection = nn.Linear(channels * P * P, embed_dim)
        self.class_token = nn.Parameter(torch.randn(1, 1, embed_dim) * 0.02)
        self.positions = nn.Parameter(torch.randn(1, N + 1, embed_dim) * 0.02)

    def forward(self, images: Tensor) -> Tensor:
        patches = self.projection(patchify(images, self.patch_size))  # (B, N, E)
        token = self.class_token.expand(len(images), -1, -1)  # (B, 1, E)
        return torch.cat([token, patches], dim=1) + self.positions  # (B, N + 1, E)


class VisionTransformer(nn.Module):
    """An image classifier: the Transformer's encoder, unchanged, over the patches of an image.

    `VisionTransformer(image_size, patch_size, channels, num_classes, embed_dim, num_heads,
    hidden_dim, num_layers)` has `patch_embedding`, a `PatchEmbedding`; `encoder`, chapter 9's
    `Encoder`, pre-norm (norm_first=True), with gelu, without dropout; `norm`, a `LayerNorm`; and
    `head`, an `nn.Linear(embed_dim, num_classes)`.

    `forward(images)` embeds the patches, runs the encoder, and reads the class from the class token
    alone: `norm`, then `head`.
    Shapes: images (B, C, height, width), image_size as in `PatchEmbedding`; returns logits
    (B, num_classes), not probabilities.
    The values that weights have before any training are free.
    Gradients reach `images` and all parameters. Inputs and earlier results are left unchanged;
    non-contiguous inputs and float64 work.
    Source: Dosovitskiy et al. 2021, section 3.1, equations 1 to 4.
    """

    def __init__(
        self,
        image_size: int | tuple[int, int],
        patch_size: int,
        channels: int,
        num_classes: int,
        embed_dim: int,
        num_heads: int,
        hidden_dim: int,
        num_layers: int,
    ) -> None:
        super().__init__()
        self.patch_embedding = PatchEmbedding(image_size, patch_size, channels, embed_dim)
        self.encoder = Encoder(
            num_layers, embed_dim, num_heads, hidden_dim, norm_first=True, activation="gelu"
        )
        self.norm = LayerNorm(embed_dim)
        self.head = nn.Linear(embed_dim, num_classes)

    def forward(self, images: Tensor) -> Tensor:
        x = self.patch_embedding(images)  # (B, N + 1, E)
        x, _ = self.encoder(x)
        return self.head(self.norm(x[:, 0]))  # (B, num_classes)


def attention_rollout(weights: list[Tensor]) -> Tensor:
    """How much of every input reaches every output, through all layers of an encoder.

    In each layer the heads' weights are averaged to A, and the residual connection is counted as a
    look at oneself: (A + I) / 2. The layers are then multiplied, each later one from the left.

    Shapes: weights is a list of (B, H, L, L), at least one, from the first layer to the last (H may
    differ between layers); returns (B, L, L). Rows of weights sum to one, and so do those of the
    result: row i is what output i is made of.
    Gradients reach all weights. Inputs and earlier results are left unchanged; non-contiguous
    inputs and float64 work.
    Source: Abnar and Zuidema 2020, Quantifying Attention Flow in Transformers, section 3,
    equation 1 and the text before it.
    """
    rollout = None
    for layer in weights:
        identity = torch.eye(layer.shape[-1], dtype=layer.dtype, device=layer.device)  # (L, L)
        mixing = (layer.mean(dim=1) + identity) / 2  # (B, L, L)
        rollout = mixing if rollout is None else mixing @ rollout  # (B, L, L)
    return rollout


def random_patch_mask(
    batch: int, num_patches: int, ratio: float, generator: torch.Generator | None = None
) -> Tensor:
    """Which patches of each image to hide: a random choice, but of exactly the same number each.

    Shapes: returns a boolean (batch, num_patches), True where a patch is masked. Every row has
    exactly `round(ratio * num_patches)` (Python's `round`) masked patches, chosen by themselves:
    every set of that many patches is equally likely, so rows differ. ratio is from 0 to 1.
    All randomness is drawn from `generator`, where one is given, else from torch's global one: the
    same seed gives the same mask, and the next call with the same generator another one.
    Source: He et al. 2022, Masked Autoencoders, section 3 (Masking).
    """
    count = round(ratio * num_patches)
    places = torch.rand(batch, num_patches, generator=generator).argsort()  # (B, N)
    return places < count  # each row of places is a permutation of 0 to N - 1


def masked_patch_loss(predicted: Tensor, target: Tensor, mask: Tensor) -> Tensor:
    """How far off the pixels of the masked patches are: the mean of the squared differences.

    The mean is over all elements of all masked patches of the batch, and over nothing else: an
    image with twice as many masked patches counts twice as much.

    Shapes: predicted and target (B, N, C * P * P), all finite, mask boolean (B, N), True where
    masked; returns a scalar. Without any masked patch it is 0 with a zero gradient, never NaN.
    Gradients reach `predicted` and `target` and are finite; they are zero outside masked patches.
    Inputs and earlier results are left unchanged; non-contiguous inputs and float64 work.
    Source: He et al. 2022, Masked Autoencoders, section 3 (Reconstruction target).
    """
    difference = predicted[mask] - target[mask]  # (masked patches, C * P * P)
    return difference.square().sum() / max(difference.numel(), 1)
