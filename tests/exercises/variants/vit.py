"""Wrong solutions of chapter 12."""

import torch
from torch import nn
from torch.nn import functional as F

from solutions.transformer_block import Encoder, LayerNorm
from solutions.vit import PatchEmbedding, patchify
from tests.exercises.variants import variant


@variant("patchify", about="a reshape alone, rows of pixels are taken for patches")
def _(images, patch_size):
    B, C, H, W = images.shape
    if H % patch_size or W % patch_size:
        raise ValueError(f"{H}x{W} does not divide into {patch_size}")
    return images.reshape(B, -1, C * patch_size**2)


@variant("patchify", about="the channel comes last inside of a patch")
def _(images, patch_size):
    B, C, H, W = images.shape
    P = patch_size
    if H % P != 0 or W % P != 0:
        raise ValueError("not divisible")
    x = images.reshape(B, C, H // P, P, W // P, P)
    return x.permute(0, 2, 4, 3, 5, 1).reshape(B, -1, P * P * C)


@variant("patchify", about="patches go down the columns")
def _(images, patch_size):
    P = patch_size
    _, _, H, W = images.shape
    if (H % P, W % P) != (0, 0):
        raise ValueError("H and W must be multiples of patch_size")
    patches = []
    for left in range(0, W, P):
        for top in range(0, H, P):
            patches.append(images[:, :, top : top + P, left : left + P].flatten(1))
    return torch.stack(patches, dim=1)


@variant("patchify", about="H and W that do not divide are cut off")
def _(images, patch_size):
    return F.unfold(images, patch_size, stride=patch_size).transpose(1, 2)


@variant("patchify", about="only the height is checked")
def _(images, patch_size):
    B, C, H, W = images.size()
    if H % patch_size:
        raise ValueError(f"height {H}, patch_size {patch_size}")
    x = images.unfold(2, patch_size, patch_size).unfold(3, patch_size, patch_size)
    return x.permute(0, 2, 3, 1, 4, 5).flatten(3).flatten(1, 2)


@variant("patchify", about="the pixels of a patch are transposed")
def _(images, patch_size):
    b, c, h, w = images.shape
    p = patch_size
    if h % p or w % p:
        raise ValueError(f"image {h} x {w}, patch {p}")
    grid = images.unflatten(3, (w // p, p)).unflatten(2, (h // p, p))
    return torch.einsum("bchiwj->bhwcji", grid).reshape(b, -1, c * p * p)


@variant("patchify", about=("the channel comes last in a patch", "nothing is refused"))
def _(images, patch_size):
    P = patch_size
    rows, cols = images.shape[2] // P, images.shape[3] // P
    out = [
        images[:, :, r * P : r * P + P, c * P : c * P + P].permute(0, 2, 3, 1).flatten(1)
        for r in range(rows)
        for c in range(cols)
    ]
    return torch.stack(out, 1)


@variant("unpatchify", about="a reshape alone")
def _(patches, patch_size, channels, height, width):
    return patches.reshape(patches.shape[0], channels, height, width)


@variant("unpatchify", about="takes the image for a square")
def _(patches, patch_size, channels, height, width):
    B, N, _ = patches.shape
    side = int(N**0.5)
    x = patches.reshape(B, side, N // side, channels, patch_size, patch_size)
    return x.permute(0, 3, 1, 4, 2, 5).reshape(B, channels, height, width)


@variant("unpatchify", about="takes the channel for the last inside of a patch")
def _(patches, patch_size, channels, height, width):
    P = patch_size
    x = patches.reshape(len(patches), height // P, width // P, P, P, channels)
    x = torch.einsum("bhwijc->bchiwj", x)
    return x.reshape(len(patches), channels, height, width)


@variant("unpatchify", about="writes into a float32 image, whatever the patches are")
def _(patches, patch_size, channels, height, width):
    P = patch_size
    image = torch.zeros(patches.shape[0], channels, height, width)
    n = 0
    for top in range(0, height, P):
        for left in range(0, width, P):
            block = patches[:, n].reshape(-1, channels, P, P)
            image[:, :, top : top + P, left : left + P] = block
            n += 1
    return image


@variant("unpatchify", about="fills the image column by column")
def _(patches, patch_size, channels, height, width):
    P = patch_size
    x = patches.reshape(-1, width // P, height // P, channels, P, P)
    return x.permute(0, 3, 2, 4, 1, 5).reshape(-1, channels, height, width)


@variant("unpatchify", about=("fills the image column by column", "takes the channel for the last"))
def _(patches, patch_size, channels, height, width):
    P = patch_size
    columns = []
    n = 0
    for _ in range(width // P):
        column = []
        for _ in range(height // P):
            column.append(patches[:, n].unflatten(-1, (P, P, channels)).permute(0, 3, 1, 2))
            n += 1
        columns.append(torch.cat(column, dim=2))
    return torch.cat(columns, dim=3)


class Embedding(nn.Module):
    """The parts of a PatchEmbedding."""

    def __init__(self, image_size, patch_size, channels, embed_dim):
        super().__init__()
        height, width = (image_size,) * 2 if isinstance(image_size, int) else image_size
        self.patch_size = patch_size
        n = (height // patch_size) * (width // patch_size)
        self.projection = nn.Linear(channels * patch_size**2, embed_dim)
        self.class_token = nn.Parameter(torch.randn(1, 1, embed_dim) * 0.02)
        self.positions = nn.Parameter(torch.randn(1, n + 1, embed_dim) * 0.02)


@variant("PatchEmbedding", about="the class token comes last")
class _(Embedding):
    def forward(self, images):
        x = self.projection(patchify(images, self.patch_size))
        token = self.class_token.expand(len(x), -1, -1)
        return torch.cat([x, token], dim=1) + self.positions


@variant("PatchEmbedding", about="the class token gets no position")
class _(Embedding):
    def forward(self, images):
        x = self.projection(patchify(images, self.patch_size)) + self.positions[:, 1:]
        return torch.cat([self.class_token.repeat(x.shape[0], 1, 1), x], dim=1)


@variant("PatchEmbedding", about="image_size may be no pair")
class _(nn.Module):
    def __init__(self, image_size, patch_size, channels, embed_dim):
        super().__init__()
        self.P = patch_size
        n = (image_size // patch_size) ** 2
        self.projection = nn.Linear(channels * patch_size * patch_size, embed_dim)
        self.class_token = nn.Parameter(torch.zeros(1, 1, embed_dim))
        self.positions = nn.Parameter(torch.zeros(1, n + 1, embed_dim))

    def forward(self, images):
        x = self.projection(patchify(images, self.P))
        x = torch.cat((self.class_token.expand(x.size(0), 1, x.size(2)), x), 1)
        return x + self.positions


@variant("PatchEmbedding", about="no position is added")
class _(Embedding):
    def forward(self, images):
        patches = self.projection(patchify(images, self.patch_size))
        out = patches.new_empty(len(patches), patches.shape[1] + 1, patches.shape[2])
        out[:, :1] = self.class_token
        out[:, 1:] = patches
        return out


@variant("PatchEmbedding", about="the positions are no parameter")
class _(nn.Module):
    def __init__(self, image_size, patch_size, channels, embed_dim):
        super().__init__()
        h, w = (image_size, image_size) if isinstance(image_size, int) else image_size
        self.patch_size = patch_size
        n = h // patch_size * (w // patch_size)
        self.projection = nn.Linear(channels * patch_size**2, embed_dim)
        self.class_token = nn.Parameter(torch.zeros(1, 1, embed_dim))
        self.register_buffer("positions", torch.randn(1, n + 1, embed_dim))

    def forward(self, images):
        x = self.projection(patchify(images, self.patch_size))
        cls = self.class_token.expand(images.shape[0], -1, -1)
        return torch.cat([cls, x], dim=1) + self.positions


@variant("PatchEmbedding", about=("the class token comes last", "the last vector gets no position"))
class _(Embedding):
    def forward(self, images):
        x = self.projection(patchify(images, self.patch_size))
        x = x + self.positions[:, : x.shape[1]]
        return torch.cat([x, self.class_token.expand(x.shape[0], -1, -1)], dim=1)


class Classifier(nn.Module):
    """The parts of a VisionTransformer."""

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


@variant("VisionTransformer", about="the mean of all positions in place of the class token")
class _(Classifier):
    def forward(self, images):
        x, _ = self.encoder(self.patch_embedding(images))
        return self.head(self.norm(x).mean(dim=1))


@variant("VisionTransformer", about="the last norm is left out")
class _(Classifier):
    def forward(self, images):
        x = self.patch_embedding(images)
        x = self.encoder(x)[0]
        return self.head(x[:, 0, :])


@variant("VisionTransformer", about="returns probabilities")
class _(Classifier):
    def forward(self, images):
        hidden, _ = self.encoder(self.patch_embedding(images))
        return self.head(self.norm(hidden[:, 0])).softmax(dim=-1)


@variant("VisionTransformer", about="reads the last position, not the first")
class _(Classifier):
    def forward(self, images):
        hidden, _ = self.encoder(self.patch_embedding(images))
        return self.head(self.norm(hidden[:, -1]))


@variant("VisionTransformer", about="a post-norm encoder")
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
        self.encoder = Encoder(num_layers, embed_dim, num_heads, hidden_dim, activation="gelu")
        self.norm = LayerNorm(embed_dim)
        self.head = nn.Linear(embed_dim, num_classes)

    def forward(self, images):
        x, _ = self.encoder(self.patch_embedding(images))
        return self.head(self.norm(x[:, 0]))


@variant("VisionTransformer", about="relu, the encoder's default")
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
        self.encoder = Encoder(num_layers, embed_dim, num_heads, hidden_dim, norm_first=True)
        self.norm = LayerNorm(embed_dim)
        self.head = nn.Linear(embed_dim, num_classes)

    def forward(self, images):
        tokens = self.patch_embedding(images)
        encoded, _ = self.encoder(tokens)
        cls = encoded.select(1, 0)
        return self.head(self.norm(cls))


@variant(
    "VisionTransformer",
    about=("the mean of all positions in place of the class token", "the last norm is left out"),
)
class _(Classifier):
    def forward(self, images):
        return self.head(self.encoder(self.patch_embedding(images))[0].mean(1))


@variant("attention_rollout", about="the residual connection is left out")
def _(weights):
    rollout = None
    for w in weights:
        a = w.mean(dim=1)
        rollout = a if rollout is None else a @ rollout
    return rollout


@variant("attention_rollout", about="later layers are multiplied from the right")
def _(weights):
    B, _, N, _ = weights[0].shape
    eye = torch.eye(N, dtype=weights[0].dtype)
    result = eye.expand(B, N, N)
    for w in weights:
        result = result @ ((w.mean(1) + eye) / 2)
    return result


@variant("attention_rollout", about="A + I is not halved")
def _(weights):
    n = weights[0].shape[-1]
    result = torch.eye(n, dtype=weights[0].dtype).unsqueeze(0)
    for layer in weights:
        a = layer.mean(dim=1) + torch.eye(n, dtype=layer.dtype)
        result = torch.bmm(a, result.expand_as(a))
    return result


@variant("attention_rollout", about="the sum over the heads, not their mean")
def _(weights):
    out = None
    for w in weights:
        a = 0.5 * w.sum(1) + 0.5 * torch.eye(w.shape[-1], dtype=w.dtype)
        out = a if out is None else torch.einsum("bij,bjk->bik", a, out)
    return out


@variant("attention_rollout", about="averages the layers instead of multiplying them")
def _(weights):
    mean = torch.stack([w.mean(dim=1) for w in weights]).mean(dim=0)
    return (mean + torch.eye(mean.shape[-1], dtype=mean.dtype)) / 2


@variant("attention_rollout", about="all layers are stacked, so H must be the same in all")
def _(weights):
    a = torch.stack(weights).mean(dim=2)
    a = (a + torch.eye(a.shape[-1], dtype=a.dtype)) / 2
    out = a[0]
    for layer in a[1:]:
        out = layer @ out
    return out


@variant(
    "attention_rollout",
    about=("the residual connection is left out", "later layers from the right"),
)
def _(weights):
    means = [w.sum(1) / w.shape[1] for w in weights]
    total = means[0]
    for m in means[1:]:
        total = total.matmul(m)
    return total


@variant("random_patch_mask", about="each patch is drawn by itself, the number varies")
def _(batch, num_patches, ratio, generator=None):
    return torch.rand(batch, num_patches, generator=generator) < ratio


@variant("random_patch_mask", about="all rows have the same mask")
def _(batch, num_patches, ratio, generator=None):
    k = round(ratio * num_patches)
    order = torch.randperm(num_patches, generator=generator)
    mask = torch.zeros(num_patches, dtype=torch.bool)
    mask[order[:k]] = True
    return mask.expand(batch, num_patches).clone()


@variant("random_patch_mask", about="int cuts off where round would round")
def _(batch, num_patches, ratio, generator=None):
    k = int(ratio * num_patches)
    noise = torch.rand(batch, num_patches, generator=generator)
    mask = torch.zeros(batch, num_patches, dtype=torch.bool)
    return mask.scatter(1, noise.topk(k, dim=1).indices, True)


@variant("random_patch_mask", about="True where a patch is kept")
def _(batch, num_patches, ratio, generator=None):
    k = round(ratio * num_patches)
    ranks = torch.rand(batch, num_patches, generator=generator).argsort(1).argsort(1)
    return ranks >= k


@variant("random_patch_mask", about="the generator is not used")
def _(batch, num_patches, ratio, generator=None):
    k = round(ratio * num_patches)
    mask = torch.zeros(batch, num_patches, dtype=torch.bool)
    for row in mask:
        row[torch.randperm(num_patches)[:k]] = True
    return mask


@variant("random_patch_mask", about="a block of neighbors, not any set")
def _(batch, num_patches, ratio, generator=None):
    k = round(ratio * num_patches)
    start = torch.randint(num_patches - k + 1, (batch, 1), generator=generator)
    at = torch.arange(num_patches)
    return (at >= start) & (at < start + k)


@variant("random_patch_mask", about="the number is drawn with repetition, some rows have fewer")
def _(batch, num_patches, ratio, generator=None):
    k = round(ratio * num_patches)
    chosen = torch.randint(0, num_patches, (batch, k), generator=generator)
    mask = torch.zeros(batch, num_patches).bool()
    mask[torch.arange(batch)[:, None], chosen] = True
    return mask


@variant(
    "random_patch_mask", about=("True where a patch is kept", "int cuts off where round would")
)
def _(batch, num_patches, ratio, generator=None):
    hidden = int(num_patches * ratio)
    rows = []
    for _ in range(batch):
        keep = torch.ones(num_patches, dtype=torch.bool)
        keep[torch.randperm(num_patches, generator=generator)[:hidden]] = False
        rows.append(keep)
    return torch.stack(rows)


@variant("masked_patch_loss", about="the mean is over all patches")
def _(predicted, target, mask):
    squared = (predicted - target) ** 2
    return (squared * mask.unsqueeze(-1)).mean()


@variant("masked_patch_loss", about="the mean of the images' means")
def _(predicted, target, mask):
    per_patch = (predicted - target).pow(2).mean(-1)
    m = mask.to(per_patch.dtype)
    per_image = (per_patch * m).sum(1) / m.sum(1).clamp(min=1)
    return per_image.mean()


@variant("masked_patch_loss", about="without a masked patch it is NaN")
def _(predicted, target, mask):
    return F.mse_loss(predicted[mask], target[mask])


@variant("masked_patch_loss", about="the loss of the patches that are visible")
def _(predicted, target, mask):
    visible = mask.logical_not()
    if not visible.any():
        return ((predicted - target) * 0).sum()
    return (predicted[visible] - target[visible]).square().mean()


@variant("masked_patch_loss", about="the sum over a patch, not the mean of its pixels")
def _(predicted, target, mask):
    per_patch = ((predicted - target) ** 2).sum(dim=-1)
    return (per_patch * mask).sum() / mask.sum().clamp(min=1)


@variant("masked_patch_loss", about="absolute differences, not squared")
def _(predicted, target, mask):
    keep = mask[..., None].expand_as(predicted).to(predicted.dtype)
    return ((predicted - target).abs() * keep).sum() / keep.sum().clamp(min=1)


@variant(
    "masked_patch_loss",
    about=("the sum over a patch, not the mean of its pixels", "without a masked patch NaN"),
)
def _(predicted, target, mask):
    per_patch = torch.sum((predicted - target) ** 2, dim=-1)
    return (per_patch * mask).sum() / mask.sum()


@variant(
    "masked_patch_loss",
    about=("the loss of the patches that are visible", "absolute differences, not squared"),
)
def _(predicted, target, mask):
    errors = (predicted - target).abs().mean(dim=-1)
    keep = (~mask).to(errors.dtype)
    return (errors * keep).sum() / keep.sum().clamp(min=1)


@variant("random_patch_mask", about="a half is rounded up, not to the even number")
def _(batch, num_patches, ratio, generator=None):
    k = int(ratio * num_patches + 0.5)
    order = torch.rand(batch, num_patches, generator=generator).argsort(dim=1)
    return order < k
