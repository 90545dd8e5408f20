"""Wrong answers to chapter 12, as people write them: its check must fail each.

Most are written from the docstrings alone, not from the list of mistakes.
"""

import itertools

import torch
from torch import nn
from torch.nn import functional as F

from autograder.checking.samples import wrong
from solutions.transformer_block import Encoder, LayerNorm
from solutions.vit import PatchEmbedding, patchify


@wrong("patchify", about="a reshape alone, rows of pixels are taken for patches")
def _(images, patch_size):
    B, C, H, W = images.shape
    if H % patch_size or W % patch_size:
        raise ValueError(f"{H}x{W} does not divide into {patch_size}")
    return images.reshape(B, -1, C * patch_size**2)


@wrong("patchify", about="the channel comes last inside of a patch")
def _(images, patch_size):
    B, C, H, W = images.shape
    P = patch_size
    if H % P != 0 or W % P != 0:
        raise ValueError("not divisible")
    x = images.reshape(B, C, H // P, P, W // P, P)
    return x.permute(0, 2, 4, 3, 5, 1).reshape(B, -1, P * P * C)


@wrong("patchify", about="patches go down the columns")
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


@wrong("patchify", about="H and W that do not divide are cut off")
def _(images, patch_size):
    return F.unfold(images, patch_size, stride=patch_size).transpose(1, 2)


@wrong("patchify", about="only the height is checked")
def _(images, patch_size):
    B, C, H, W = images.size()
    if H % patch_size:
        raise ValueError(f"height {H}, patch_size {patch_size}")
    x = images.unfold(2, patch_size, patch_size).unfold(3, patch_size, patch_size)
    return x.permute(0, 2, 3, 1, 4, 5).flatten(3).flatten(1, 2)


@wrong("patchify", about="the pixels of a patch are transposed")
def _(images, patch_size):
    b, c, h, w = images.shape
    p = patch_size
    if h % p or w % p:
        raise ValueError(f"image {h} x {w}, patch {p}")
    grid = images.unflatten(3, (w // p, p)).unflatten(2, (h // p, p))
    return torch.einsum("bchiwj->bhwcji", grid).reshape(b, -1, c * p * p)


@wrong("patchify", about=("the channel comes last in a patch", "nothing is refused"))
def _(images, patch_size):
    P = patch_size
    rows, cols = images.shape[2] // P, images.shape[3] // P
    out = [
        images[:, :, r * P : r * P + P, c * P : c * P + P].permute(0, 2, 3, 1).flatten(1)
        for r in range(rows)
        for c in range(cols)
    ]
    return torch.stack(out, 1)


@wrong("unpatchify", about="a reshape alone")
def _(patches, patch_size, channels, height, width):
    return patches.reshape(patches.shape[0], channels, height, width)


@wrong("unpatchify", about="takes the image for a square")
def _(patches, patch_size, channels, height, width):
    B, N, _ = patches.shape
    side = int(N**0.5)
    x = patches.reshape(B, side, N // side, channels, patch_size, patch_size)
    return x.permute(0, 3, 1, 4, 2, 5).reshape(B, channels, height, width)


@wrong("unpatchify", about="takes the channel for the last inside of a patch")
def _(patches, patch_size, channels, height, width):
    P = patch_size
    x = patches.reshape(len(patches), height // P, width // P, P, P, channels)
    x = torch.einsum("bhwijc->bchiwj", x)
    return x.reshape(len(patches), channels, height, width)


@wrong("unpatchify", about="writes into a float32 image, whatever the patches are")
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


@wrong("unpatchify", about="fills the image column by column")
def _(patches, patch_size, channels, height, width):
    P = patch_size
    x = patches.reshape(-1, width // P, height // P, channels, P, P)
    return x.permute(0, 3, 2, 4, 1, 5).reshape(-1, channels, height, width)


@wrong("unpatchify", about=("fills the image column by column", "takes the channel for the last"))
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


@wrong("PatchEmbedding", about="the class token comes last")
class _(Embedding):
    def forward(self, images):
        x = self.projection(patchify(images, self.patch_size))
        token = self.class_token.expand(len(x), -1, -1)
        return torch.cat([x, token], dim=1) + self.positions


@wrong("PatchEmbedding", about="the class token gets no position")
class _(Embedding):
    def forward(self, images):
        x = self.projection(patchify(images, self.patch_size)) + self.positions[:, 1:]
        return torch.cat([self.class_token.repeat(x.shape[0], 1, 1), x], dim=1)


@wrong("PatchEmbedding", about="image_size may be no pair")
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


@wrong("PatchEmbedding", about="no position is added")
class _(Embedding):
    def forward(self, images):
        patches = self.projection(patchify(images, self.patch_size))
        out = patches.new_empty(len(patches), patches.shape[1] + 1, patches.shape[2])
        out[:, :1] = self.class_token
        out[:, 1:] = patches
        return out


@wrong("PatchEmbedding", about="the positions are no parameter")
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


@wrong("PatchEmbedding", about=("the class token comes last", "the last vector gets no position"))
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


@wrong("VisionTransformer", about="the mean of all positions in place of the class token")
class _(Classifier):
    def forward(self, images):
        x, _ = self.encoder(self.patch_embedding(images))
        return self.head(self.norm(x).mean(dim=1))


@wrong("VisionTransformer", about="the last norm is left out")
class _(Classifier):
    def forward(self, images):
        x = self.patch_embedding(images)
        x = self.encoder(x)[0]
        return self.head(x[:, 0, :])


@wrong("VisionTransformer", about="returns probabilities")
class _(Classifier):
    def forward(self, images):
        hidden, _ = self.encoder(self.patch_embedding(images))
        return self.head(self.norm(hidden[:, 0])).softmax(dim=-1)


@wrong("VisionTransformer", about="reads the last position, not the first")
class _(Classifier):
    def forward(self, images):
        hidden, _ = self.encoder(self.patch_embedding(images))
        return self.head(self.norm(hidden[:, -1]))


@wrong("VisionTransformer", about="a post-norm encoder")
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


@wrong("VisionTransformer", about="relu, the encoder's default")
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


@wrong(
    "VisionTransformer",
    about=("the mean of all positions in place of the class token", "the last norm is left out"),
)
class _(Classifier):
    def forward(self, images):
        return self.head(self.encoder(self.patch_embedding(images))[0].mean(1))


@wrong("attention_rollout", about="the residual connection is left out")
def _(weights):
    rollout = None
    for w in weights:
        a = w.mean(dim=1)
        rollout = a if rollout is None else a @ rollout
    return rollout


@wrong("attention_rollout", about="later layers are multiplied from the right")
def _(weights):
    B, _, N, _ = weights[0].shape
    eye = torch.eye(N, dtype=weights[0].dtype)
    result = eye.expand(B, N, N)
    for w in weights:
        result = result @ ((w.mean(1) + eye) / 2)
    return result


@wrong("attention_rollout", about="A + I is not halved")
def _(weights):
    n = weights[0].shape[-1]
    result = torch.eye(n, dtype=weights[0].dtype).unsqueeze(0)
    for layer in weights:
        a = layer.mean(dim=1) + torch.eye(n, dtype=layer.dtype)
        result = torch.bmm(a, result.expand_as(a))
    return result


@wrong("attention_rollout", about="the sum over the heads, not their mean")
def _(weights):
    out = None
    for w in weights:
        a = 0.5 * w.sum(1) + 0.5 * torch.eye(w.shape[-1], dtype=w.dtype)
        out = a if out is None else torch.einsum("bij,bjk->bik", a, out)
    return out


@wrong("attention_rollout", about="averages the layers instead of multiplying them")
def _(weights):
    mean = torch.stack([w.mean(dim=1) for w in weights]).mean(dim=0)
    return (mean + torch.eye(mean.shape[-1], dtype=mean.dtype)) / 2


@wrong("attention_rollout", about="all layers are stacked, so H must be the same in all")
def _(weights):
    a = torch.stack(weights).mean(dim=2)
    a = (a + torch.eye(a.shape[-1], dtype=a.dtype)) / 2
    out = a[0]
    for layer in a[1:]:
        out = layer @ out
    return out


@wrong(
    "attention_rollout",
    about=("the residual connection is left out", "later layers from the right"),
)
def _(weights):
    means = [w.sum(1) / w.shape[1] for w in weights]
    total = means[0]
    for m in means[1:]:
        total = total.matmul(m)
    return total


@wrong("random_patch_mask", about="each patch is drawn by itself, the number varies")
def _(batch, num_patches, ratio, generator=None):
    return torch.rand(batch, num_patches, generator=generator) < ratio


@wrong("random_patch_mask", about="all rows have the same mask")
def _(batch, num_patches, ratio, generator=None):
    k = round(ratio * num_patches)
    order = torch.randperm(num_patches, generator=generator)
    mask = torch.zeros(num_patches, dtype=torch.bool)
    mask[order[:k]] = True
    return mask.expand(batch, num_patches).clone()


@wrong("random_patch_mask", about="int cuts off where round would round")
def _(batch, num_patches, ratio, generator=None):
    k = int(ratio * num_patches)
    noise = torch.rand(batch, num_patches, generator=generator)
    mask = torch.zeros(batch, num_patches, dtype=torch.bool)
    return mask.scatter(1, noise.topk(k, dim=1).indices, True)


@wrong("random_patch_mask", about="True where a patch is kept")
def _(batch, num_patches, ratio, generator=None):
    k = round(ratio * num_patches)
    ranks = torch.rand(batch, num_patches, generator=generator).argsort(1).argsort(1)
    return ranks >= k


@wrong("random_patch_mask", about="the generator is not used")
def _(batch, num_patches, ratio, generator=None):
    k = round(ratio * num_patches)
    mask = torch.zeros(batch, num_patches, dtype=torch.bool)
    for row in mask:
        row[torch.randperm(num_patches)[:k]] = True
    return mask


@wrong("random_patch_mask", about="a block of neighbors, not any set")
def _(batch, num_patches, ratio, generator=None):
    k = round(ratio * num_patches)
    start = torch.randint(num_patches - k + 1, (batch, 1), generator=generator)
    at = torch.arange(num_patches)
    return (at >= start) & (at < start + k)


@wrong("random_patch_mask", about="the number is drawn with repetition, some rows have fewer")
def _(batch, num_patches, ratio, generator=None):
    k = round(ratio * num_patches)
    chosen = torch.randint(0, num_patches, (batch, k), generator=generator)
    mask = torch.zeros(batch, num_patches).bool()
    mask[torch.arange(batch)[:, None], chosen] = True
    return mask


@wrong("random_patch_mask", about=("True where a patch is kept", "int cuts off where round would"))
def _(batch, num_patches, ratio, generator=None):
    hidden = int(num_patches * ratio)
    rows = []
    for _ in range(batch):
        keep = torch.ones(num_patches, dtype=torch.bool)
        keep[torch.randperm(num_patches, generator=generator)[:hidden]] = False
        rows.append(keep)
    return torch.stack(rows)


@wrong("masked_patch_loss", about="the mean is over all patches")
def _(predicted, target, mask):
    squared = (predicted - target) ** 2
    return (squared * mask.unsqueeze(-1)).mean()


@wrong("masked_patch_loss", about="the mean of the images' means")
def _(predicted, target, mask):
    per_patch = (predicted - target).pow(2).mean(-1)
    m = mask.to(per_patch.dtype)
    per_image = (per_patch * m).sum(1) / m.sum(1).clamp(min=1)
    return per_image.mean()


@wrong("masked_patch_loss", about="without a masked patch it is NaN")
def _(predicted, target, mask):
    return F.mse_loss(predicted[mask], target[mask])


@wrong("masked_patch_loss", about="the loss of the patches that are visible")
def _(predicted, target, mask):
    visible = mask.logical_not()
    if not visible.any():
        return ((predicted - target) * 0).sum()
    return (predicted[visible] - target[visible]).square().mean()


@wrong("masked_patch_loss", about="the sum over a patch, not the mean of its pixels")
def _(predicted, target, mask):
    per_patch = ((predicted - target) ** 2).sum(dim=-1)
    return (per_patch * mask).sum() / mask.sum().clamp(min=1)


@wrong("masked_patch_loss", about="absolute differences, not squared")
def _(predicted, target, mask):
    keep = mask[..., None].expand_as(predicted).to(predicted.dtype)
    return ((predicted - target).abs() * keep).sum() / keep.sum().clamp(min=1)


@wrong(
    "masked_patch_loss",
    about=("the sum over a patch, not the mean of its pixels", "without a masked patch NaN"),
)
def _(predicted, target, mask):
    per_patch = torch.sum((predicted - target) ** 2, dim=-1)
    return (per_patch * mask).sum() / mask.sum()


@wrong(
    "masked_patch_loss",
    about=("the loss of the patches that are visible", "absolute differences, not squared"),
)
def _(predicted, target, mask):
    errors = (predicted - target).abs().mean(dim=-1)
    keep = (~mask).to(errors.dtype)
    return (errors * keep).sum() / keep.sum().clamp(min=1)


@wrong("random_patch_mask", about="a half is rounded up, not to the even number")
def _(batch, num_patches, ratio, generator=None):
    k = int(ratio * num_patches + 0.5)
    order = torch.rand(batch, num_patches, generator=generator).argsort(dim=1)
    return order < k


@wrong("patchify", about="the channel comes last inside a patch")
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


@wrong("PatchEmbedding", about="the positions are not added to the class token")
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


@wrong("VisionTransformer", about="the class is read from the mean of all vectors")
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


@wrong("attention_rollout", about="no residual connection is counted")
def _(weights):
    result = None
    for w in weights:
        a = w.mean(dim=1)
        result = a if result is None else a @ result
    return result


@wrong("masked_patch_loss", about="the mean over images of each image's own mean")
def _(predicted, target, mask):
    error = ((predicted - target) ** 2).mean(-1)
    count = mask.sum(1)
    per_image = (error * mask).sum(1) / count.clamp(min=1)
    seen = count > 0
    return (per_image * seen).sum() / seen.sum().clamp(min=1)


# Known mistakes made in alternatives: exercise -> (style, changes, the mistake's key).
CONVOLUTION = "convolution with the projection's weights"
LAYERS = "torch's encoder layers inside"
FRONT = "earlier classes, read from the front"
PAPER = "rows normalized, as the paper's code does it"
BACKWARDS = "from the last layer backwards, einsum"
PERMUTATION = "a permutation a row"
LARGEST = "the largest of random numbers"
ZEROS = "weights of zero and one"
LIBRARY = "library loss of what is selected"
A_PATCH = "mean a patch, then over the patches"

RESTYLED = {
    "patchify": [
        (
            "einops",
            {'"b c (h p) (w q) -> b (h w) (c p q)"': '"b c (h p) (w q) -> b (w h) (c p q)"'},
            "column-order",
        ),
        (
            "einops",
            {'"b c (h p) (w q) -> b (h w) (c p q)"': '"b c (h p) (w q) -> b (h w) (p q c)"'},
            "channel-last",
        ),
        (
            "unfold",
            {
                "F.unfold(images, patch_size, stride=patch_size).transpose(1, 2)": (
                    "images.reshape(len(images), -1, images.size(1) * patch_size**2)"
                )
            },
            "reshaped-only",
        ),
        (
            "loops",
            {
                "top in range(0, height, patch_size)": "left in range(0, width, patch_size)",
                "left in range(0, width, patch_size)": "top in range(0, height, patch_size)",
            },
            "column-order",
        ),
        ("loops", {"patch.flatten(1)": "patch.mT.flatten(1)"}, "columns"),
    ],
    "unpatchify": [
        (
            "einops",
            {'"b (h w) (c p q) -> b c (h p) (w q)"': '"b (w h) (c p q) -> b c (h p) (w q)"'},
            "column-order",
        ),
        (
            "einops",
            {'"b (h w) (c p q) -> b c (h p) (w q)"': '"b (h w) (p q c) -> b c (h p) (w q)"'},
            "channel-last",
        ),
        (
            "fold",
            {
                "F.fold(patches.transpose(1, 2), (height, width), patch_size, stride=patch_size)": (
                    "patches.reshape(-1, channels, height, width)"
                )
            },
            "reshaped-only",
        ),
        (
            "rows of patches",
            {
                "reshape(-1, channels, patch_size, patch_size)": (
                    "reshape(-1, channels, patch_size, patch_size).mT"
                )
            },
            "patches-transposed",
        ),
    ],
    "PatchEmbedding": [
        (
            CONVOLUTION,
            {
                "features.flatten(2).mT + self.positions[:, 1:]": "features.flatten(2).mT",
                "self.class_token + self.positions[:, :1]": "self.class_token",
            },
            "positions-unused",
        ),
        (
            CONVOLUTION,
            {"self.class_token + self.positions[:, :1]": "self.class_token"},
            "class-token-unplaced",
        ),
        (
            CONVOLUTION,
            {"features.flatten(2)": "features.mT.flatten(2)"},
            "column-order",
        ),
        ("einops", {"[token, patches]": "[patches, token]"}, "class-token-last"),
        (
            "einops",
            {'"b c (h p) (w q) -> b (h w) (c p q)"': '"b c (h p) (w q) -> b (h w) (p q c)"'},
            "channel-last",
        ),
        ("einops", {"sequence + self": "sequence * self"}, "positions-multiplied"),
    ],
    "VisionTransformer": [
        (LAYERS, {"F.gelu": "F.relu"}, "relu"),
        (LAYERS, {"self.norm(x)[:, 0]": "x[:, 0]"}, "last-norm-missing"),
        (
            LAYERS,
            {"self.head(self.norm(x)[:, 0])": "self.head(self.norm(x)[:, 0]).softmax(-1)"},
            "softmax-of-logits",
        ),
        (FRONT, {'"norm_first": True,': ""}, "post-norm"),
        (FRONT, {"class_token, *_": "*_, class_token"}, "last-patch"),
    ],
    "attention_rollout": [
        (
            PAPER,
            {"torch.bmm(mixing, rollout)": "torch.bmm(rollout, mixing)"},
            "wrong-order",
        ),
        (
            PAPER,
            {"mixing = mixing / mixing.sum(dim=-1, keepdim=True)": ""},
            "not-halved",
        ),
        (
            BACKWARDS,
            {"0.5 * attended + 0.5 * rollout": "attended"},
            "identity-missing",
        ),
        (BACKWARDS, {"/ layer.shape[1]": ""}, "heads-added"),
    ],
    "random_patch_mask": [
        (
            PERMUTATION,
            {"round(ratio * num_patches)": "int(ratio * num_patches)"},
            "cut-off",
        ),
        (
            PERMUTATION,
            {"torch.zeros(": "torch.ones(", "= True": "= False"},
            "true-is-kept",
        ),
        (LARGEST, {", generator=generator": ""}, "generator-unused"),
        (
            LARGEST,
            {"round(num_patches * ratio)": "int(num_patches * ratio + 0.5)"},
            "half-up",
        ),
    ],
    "masked_patch_loss": [
        (
            ZEROS,
            {"counted.sum().clamp(min=1)": "predicted.numel()"},
            "by-all-patches",
        ),
        (
            ZEROS,
            {"(predicted - target) ** 2": "(predicted - target).abs()"},
            "absolute",
        ),
        (LIBRARY, {"if not mask.any():": "if False:"}, "nothing-nan"),
        (A_PATCH, {"mean(dim=-1)": "sum(dim=-1)"}, "by-patches"),
        (LIBRARY, {"F.mse_loss": "F.l1_loss"}, "absolute"),
    ],
}


# Mutants of the references that compute the same, each with the reason.
EQUIVALENT = {
    (
        "attention_rollout",
        (
            "identity = torch.eye(layer.shape[-1], dtype=layer.dtype, device=layer.device) => "
            "identity = torch.eye(layer.shape[-2], dtype=layer.dtype, device=layer.device)"
        ),
    ): "The weights of self-attention are a square.",
    (
        "attention_rollout",
        (
            "identity = torch.eye(layer.shape[-1], dtype=layer.dtype, device=layer.device) => "
            "identity = torch.eye(layer.shape[-1], device=layer.device)"
        ),
    ): ("Zeros and ones are exact in float32, and the sum with the weights takes their dtype."),
    (
        "masked_patch_loss",
        (
            "difference = predicted[mask] - target[mask] => difference = target[mask] - "
            "predicted[mask]"
        ),
    ): "The difference is squared.",
}
