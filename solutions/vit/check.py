"""Checks for chapter 12, the Vision Transformer."""

import math

import torch

from autograder.checking import (
    Ask,
    agrees,
    backpropagates,
    built,
    by,
    close,
    exercise,
    mend,
    misconceptions,
    prediction,
    raises,
    require,
)
from autograder.checking.cases import VALUES


def drawn_weights(layer, draw):
    """Weights for every parameter of a layer, by name."""
    return {name: 0.5 * draw.normal(*old.shape) for name, old in layer.parameters().items()}


@exercise("patchify", chapter="12-vit", points=2)
def _(student, reference, draw):
    agrees(student, reference, draw.normal(1, 1, H=4, W=6), 2, case="one image of one channel")
    agrees(student, reference, draw.normal(B=2, C=3, H=4, W=6), 2, case="three channels")
    agrees(student, reference, draw.normal(B=2, C=3, H=9, W=6), 3, case="higher than wide")
    agrees(student, reference, draw.normal(B=2, C=3, H=4, W=4), 4, case="one patch an image")
    agrees(student, reference, draw.normal(B=2, C=3, H=2, W=5), 1, case="one pixel a patch")
    raises(student, ValueError, draw.normal(2, 3, 5, 6), 2, case="a height that does not divide")
    raises(student, ValueError, draw.normal(2, 3, 4, 7), 2, case="a width that does not divide")
    area = {"case": "a height that does not divide, of an area that does"}
    raises(student, ValueError, draw.normal(2, 3, 2, 8), 4, **area)
    neither = {"case": "neither a height nor a width that divides"}
    raises(student, ValueError, draw.normal(2, 3, 5, 7), 2, **neither)
    # Of one size all, so that another order of the axes gives numbers of the same shape.
    square = draw.normal(2, 2, 4, 4)
    agrees(student, reference, square, 2, case="square, P = C", ask=VALUES)
    for height, width, case in ((2, 6, "one row"), (6, 2, "one column"), (2, 2, "one patch")):
        some = draw.normal(1, 3, height, width)
        agrees(student, reference, some, 2, case=f"one image, {case}", ask=VALUES)


misconceptions["patchify"] = {
    "unfolded-unswapped": (
        "The numbers of a patch stand along the second axis and the patches along the third, as "
        "`unfold` gives them, and a reshape to (B, N, C * P * P) mixes them up. Exchange the two "
        "axes first.",
        {
            "return grid.reshape(B, (height // P) * (width // P), C * P * P)": "return "
            "nn.functional.unfold(images, P, stride=P)"
            ".reshape(B, (height // P) * (width // P), C * P * P)"
        },
    ),
    "column-order": (
        "The patches come in column order, from top to bottom first. Like the words on a page they "
        "should come in rows: left to right, then the next row.",
        {"grid.permute(0, 2, 4, 1, 3, 5)": "grid.permute(0, 4, 2, 1, 3, 5)"},
    ),
    "channel-last": (
        "The channel comes last inside each patch, as in a color image of NumPy. Here it comes "
        "first: all pixels of the first channel, then all of the second.",
        {"grid.permute(0, 2, 4, 1, 3, 5)": "grid.permute(0, 2, 4, 3, 5, 1)"},
    ),
    "reshaped-only": (
        "The pixels of the image are cut into runs in the order in which they are kept, as by a "
        "reshape without moving any axis. A patch is a square: the axes of the grid come before "
        "those inside a patch.",
        {"grid = grid.permute(0, 2, 4, 1, 3, 5)": ""},
    ),
    "columns": (
        "Each patch is written column by column. Inside a patch too, the row comes before "
        "the column.",
        {"grid.permute(0, 2, 4, 1, 3, 5)": "grid.permute(0, 2, 4, 1, 5, 3)"},
    ),
    "axes-order": (
        "A patch is made of pixels that lie height / P rows and width / P columns apart, as when "
        "height splits into (P, height / P). A patch is one square of neighbors: height splits "
        "into (height / P, P).",
        {
            "height // P, P, width // P, P": "P, height // P, P, width // P",
            "grid.permute(0, 2, 4, 1, 3, 5)": "grid.permute(0, 3, 5, 1, 2, 4)",
        },
    ),
    "channels-apart": (
        "Every channel makes patches of its own. A patch holds all channels of its square: there "
        "are as many patches as squares, and each is C * P * P long.",
        {
            "grid.permute(0, 2, 4, 1, 3, 5)": "grid.permute(0, 1, 2, 4, 3, 5)",
            "(height // P) * (width // P), C * P * P": "-1, P * P",
        },
    ),
    "sizes-exchanged": (
        "Height and width are exchanged where the image is split, so that one that is not square "
        "comes out scrambled: there are height / P rows of patches and width / P columns.",
        {"height // P, P, width // P, P)": "width // P, P, height // P, P)"},
    ),
    "edge-cut-off": (
        "An image that does not divide into patches is taken without an error, as when its edge "
        "is cut off or filled up. Whoever calls the function should hear of it: that is a "
        "ValueError.",
        by(
            {"if height % patch_size != 0 or width % patch_size != 0:": "if False:"},
            style="unfold",
        ),
        {
            "if height % P or width % P:": (
                "height, width = height // P * P, width // P * P\n"
                "images = images[..., :height, :width]\n"
                "if False:"
            ),
        },
    ),
    "width-unchecked": (
        "A width that does not divide was let through. Height and width each have to be divisible "
        "by the patch size; where one is not, it is a ValueError.",
        by(
            {"height % patch_size != 0 or width % patch_size != 0": "height % patch_size"},
            style="unfold",
        ),
    ),
    "area-checked": (
        "Only the area was checked, the product of height and width. Height and width each have "
        "to be divisible by the patch size; where one is not, it is a ValueError.",
        {
            "if height % P or width % P:": "if (height * width) % (P * P):",
        },
        {
            "if height % P or width % P:": (
                "if (height * width) % (P * P):\n"
                "    raise ValueError('no')\n"
                "height, width = height // P * P, width // P * P\n"
                "images = images[..., :height, :width]\n"
                "if False:"
            ),
        },
        {
            "if height % P or width % P:": (
                "if (height * width) % (P * P):\n"
                "    raise ValueError('no')\n"
                "if min(height, width) < P:\n"
                "    return images.new_zeros(B, 0, C * P * P)\n"
                "height, width = height // P * P, width // P * P\n"
                "images = images[..., :height, :width]\n"
                "if False:"
            ),
        },
    ),
    "height-unchecked": (
        "A height that does not divide was let through. Height and width each have to be "
        "divisible by the patch size; where one is not, it is a ValueError.",
        {
            "if height % P or width % P:": (
                "if width % P:\n"
                "    raise ValueError('no')\n"
                "images, height = images[..., : height // P * P, :], height // P * P\n"
                "if False:"
            ),
        },
    ),
    "one-side-enough": (
        "Only where neither height nor width divides, it is an error. Where one of them does "
        "not, it is a ValueError as well.",
        {
            "if height % P or width % P:": (
                "if height % P and width % P:\n"
                "    raise ValueError('no')\n"
                "height, width = height // P * P, width // P * P\n"
                "images = images[..., :height, :width]\n"
                "if False:"
            ),
        },
    ),
    "patches-second": (
        "Patches and the numbers inside them have changed places. The shape is (B, N, C * P * "
        "P): a row for each patch.",
        {
            "(height // P) * (width // P), C * P * P)": (
                "(height // P) * (width // P), C * P * P).mT"
            ),
        },
    ),
    "grid-kept": (
        "The grid of patches is kept, with an axis for its rows and one for its columns. The "
        "patches come in one row: (B, N, C * P * P).",
        {
            "grid.reshape(B, (height // P) * (width // P), C * P * P)": (
                "grid.reshape(B, height // P, width // P, C * P * P)"
            ),
        },
    ),
    "patch-kept": (
        "Each patch is still an image of its own. It is written as one vector, C * P * P long.",
        {
            "grid.reshape(B, (height // P) * (width // P), C * P * P)": (
                "grid.reshape(B, (height // P) * (width // P), C, P, P)"
            ),
        },
    ),
    "image-transposed": (
        "Height and width have changed places: the patches come column by column, and so do the "
        "pixels inside each patch. Both go row by row.",
        {
            "grid.permute(0, 2, 4, 1, 3, 5)": "grid.permute(0, 4, 2, 1, 5, 3)",
        },
    ),
    "channels-before-grid": (
        "The channels stand before or between the axes of the grid when all is written as (B, N, "
        "C * P * P), so that with several channels a row mixes squares of several places. Move "
        "them behind the grid first, as by a permute.",
        {
            "grid.permute(0, 2, 4, 1, 3, 5)": "grid.permute(0, 1, 2, 4, 3, 5)",
        },
        {
            "grid.permute(0, 2, 4, 1, 3, 5)": "grid.permute(0, 2, 1, 4, 3, 5)",
        },
    ),
}


mend("patchify", "columns", points=1)


@exercise("unpatchify", chapter="12-vit", points=2)
def _(student, reference, draw):
    one = draw.normal(1, N=6, K=4)
    agrees(student, reference, one, 2, 1, 4, 6, case="one image of one channel")
    patches = draw.normal(B=2, N=6, K=12)
    agrees(student, reference, patches, 2, 3, 4, 6, case="three channels")
    agrees(student, reference, patches, 2, 3, 6, 4, case="higher than wide")
    agrees(student, reference, draw.normal(2, 4, 8), 2, 2, 4, 4, case="square")
    agrees(student, reference, draw.normal(2, 2, 27), 3, 3, 3, 6, case="patches of 3")
    agrees(student, reference, draw.normal(2, 10, 3), 1, 3, 2, 5, case="one pixel a patch")
    for N, height, width, case in (
        (2, 3, 6, "one row"),
        (2, 6, 3, "one column"),
        (1, 3, 3, "one patch"),
    ):
        some = draw.normal(1, N, 9), 3, 1, height, width
        agrees(student, reference, *some, case=f"one channel, {case} of 3", ask=VALUES)


misconceptions["unpatchify"] = {
    "reshaped-only": (
        "The numbers of the patches fill the image in the order in which they are kept, as by a "
        "reshape without moving any axis: those of one patch come to lie along the rows, which "
        "does not undo `patchify`.",
        {"grid = grid.permute(0, 3, 1, 4, 2, 5)": ""},
    ),
    "grid-transposed": (
        "The grid of patches was taken as width times height, so an image that is not square "
        "comes out scrambled. Rows of patches come first: height / P of them.",
        {"height // P, width // P": "width // P, height // P"},
    ),
    "grid-square": (
        "The number of rows of patches is the root of their number, as in a square image. An "
        "image need not be square: height / P patches stand below one another, and width / P "
        "beside one another.",
        {"B, height // P, width // P": "B, int(patches.shape[1] ** 0.5), -1"},
        {
            "B, height // P, width // P": "B, int(patches.shape[1] ** 0.5), "
            "int(patches.shape[1] ** 0.5)"
        },
    ),
    "column-order": (
        "The patches were laid out column by column. `patchify` numbers them row by row.",
        {
            "height // P, width // P": "width // P, height // P",
            "grid.permute(0, 3, 1, 4, 2, 5)": "grid.permute(0, 3, 2, 4, 1, 5)",
        },
    ),
    "channel-last": (
        "The vector of a patch was read with the channel last. In `patchify`'s order the channel "
        "comes first, then the row, then the column.",
        {
            "C, P, P": "P, P, C",
            "grid.permute(0, 3, 1, 4, 2, 5)": "grid.permute(0, 5, 1, 3, 2, 4)",
        },
    ),
    "patches-transposed": (
        "Inside each patch rows and columns are exchanged: every patch is mirrored at its "
        "diagonal.",
        {"grid.permute(0, 3, 1, 4, 2, 5)": "grid.permute(0, 3, 1, 5, 2, 4)"},
    ),
    "result-transposed": (
        "Height and width changed places in the result. The shape is (B, channels, height, width).",
        {"grid.reshape(B, C, height, width)": "grid.reshape(B, C, height, width).mT"},
    ),
    "axes-order": (
        "Neighboring rows and columns of the image come from different patches: the place inside "
        "a patch comes before the place in the grid. The height is made of (height / P, P), in "
        "this order, and the width of (width / P, P).",
        {"grid.permute(0, 3, 1, 4, 2, 5)": "grid.permute(0, 3, 4, 1, 5, 2)"},
    ),
    "channels-at-the-end": (
        "The channel is the last axis of the result, as in a color image of NumPy. The shape is "
        "(B, channels, height, width).",
        {
            "return grid.reshape(B, C, height, width)": (
                "return grid.reshape(B, C, height, width).permute(0, 2, 3, 1)"
            ),
        },
    ),
    "patches-mirrored-and-moved": (
        "Rows and columns are exchanged, of the grid and inside each patch. Patches come row by "
        "row, and so do their pixels.",
        {
            "height // P, width // P": "width // P, height // P",
            "grid.permute(0, 3, 1, 4, 2, 5)": "grid.permute(0, 3, 2, 5, 1, 4)",
        },
    ),
    "upside-down": (
        "The rows of patches are put together from the bottom. The first patch is at the top left.",
        {
            "grid.permute(0, 3, 1, 4, 2, 5)": "grid.flip(1).permute(0, 3, 1, 4, 2, 5)",
        },
    ),
    "grid-before-patches": (
        "The grid's axes come together, before the axes inside a patch. The height is made of the "
        "row of the grid and the row in the patch, the width of the two columns: they take turns, "
        "(B, C, height / P, P, width / P, P).",
        {"permute(0, 3, 1, 4, 2, 5)": "permute(0, 3, 1, 2, 4, 5)"},
    ),
}


@exercise("PatchEmbedding", chapter="12-vit", points=3)
def _(student, reference, draw):
    for size, (height, width) in (((4, 6), (4, 6)), ((6, 4), (6, 4)), (4, (4, 4))):
        arguments = (size, 2, 3, 8)
        mine, theirs = student(*arguments), reference(*arguments)
        weights = drawn_weights(theirs, draw)
        mine.load(weights)
        theirs.load(weights)
        images = draw.normal(B=2, C=3, H=height, W=width)
        agrees(mine, theirs, images, case=f"image size {size}")
    arguments = ((3, 6), 3, 1, 5)
    mine, theirs = student(*arguments), reference(*arguments)
    weights = drawn_weights(theirs, draw)
    mine.load(weights)
    theirs.load(weights)
    agrees(mine, theirs, draw.normal(1, 1, 3, 6), case="one image of one channel, patches of 3")
    for size, patch, case in ((2, 2, "one patch an image"), (2, 1, "one pixel a patch")):
        mine, theirs = student(size, patch, 3, 4), reference(size, patch, 3, 4)
        weights = drawn_weights(theirs, draw)
        mine.load(weights)
        theirs.load(weights)
        agrees(mine, theirs, draw.normal(2, 3, 2, 2), case=case, ask=VALUES)


misconceptions["PatchEmbedding"] = {
    "class-token-last": (
        "The class token stands at the end of the sequence. It comes first, at index 0, where the "
        "head will look for it.",
        {"[token, patches]": "[patches, token]"},
    ),
    "class-token-unplaced": (
        "The class token gets no position: only the patches do, the last N of them. All N + 1 "
        "vectors get a position, and the first one is the token's.",
        {
            "torch.cat([token, patches], dim=1) + self.positions": (
                "torch.cat([token, patches + self.positions[:, 1:]], dim=1)"
            )
        },
    ),
    "patches-placed-first": (
        "The first N positions went to the patches, and the class token got none. The first "
        "position is the token's: put it in front, then add all N + 1.",
        {
            "torch.cat([token, patches], dim=1) + self.positions": (
                "torch.cat([token, patches + self.positions[:, :-1]], dim=1)"
            )
        },
    ),
    "positions-unused": (
        "The positions are not added at all. Without them the encoder cannot tell where a patch "
        "was.",
        {"+ self.positions": ""},
    ),
    "channel-last": (
        "Inside each patch the channel comes last. The projection's weights go by `patchify`'s "
        "order: channel, then row, then column.",
        by(
            {"grid.permute(0, 2, 4, 1, 3, 5)": "grid.permute(0, 2, 4, 3, 5, 1)"},
            within="patchify",
        ),
    ),
    "column-order": (
        "The patches are in column order, so each gets the position of another. `patchify` numbers "
        "them row by row.",
        by(
            {"grid.permute(0, 2, 4, 1, 3, 5)": "grid.permute(0, 4, 2, 1, 3, 5)"},
            within="patchify",
        ),
    ),
    "no-bias": (
        "The patches are projected without a bias. `projection` is an nn.Linear, which has one "
        "and adds it.",
        {
            "nn.Linear(channels * P * P, embed_dim)": (
                "nn.Linear(channels * P * P, embed_dim, bias=False)"
            )
        },
        {
            "self.projection(patchify(images, self.patch_size))": (
                "patchify(images, self.patch_size) @ self.projection.weight.T"
            )
        },
    ),
    "positions-multiplied": (
        "The sequence is multiplied by the positions. They are added: a position near zero should "
        "change little, not wipe out the patch.",
        {"+ self.positions": "* self.positions"},
    ),
    "size-is-one-number": (
        "`image_size` is taken for one number. It may be a pair as well, (height, width), of an "
        "image that is not square.",
        {
            "height, width = (image_size, image_size) if isinstance(image_size, int) else "
            "image_size": ("height = width = image_size")
        },
    ),
    "not-a-parameter": (
        "`positions` is a plain tensor or a buffer, not a parameter: no optimizer finds it, and "
        "it stays as it was made.",
        {
            "nn.Parameter(torch.randn(1, N + 1, embed_dim) * 0.02)": (
                "torch.randn(1, N + 1, embed_dim) * 0.02"
            )
        },
    ),
    "square-grid": (
        "The number of patches is that of a square image: one side was squared. It is (height / "
        "P) * (width / P).",
        {
            "N = (height // P) * (width // P)": "N = (height // P) ** 2",
        },
        {
            "N = (height // P) * (width // P)": "N = (width // P) ** 2",
        },
    ),
    "token-without-place": (
        "`positions` has a vector for each patch and none for the class token. There are N + 1 "
        "of them.",
        {
            "torch.randn(1, N + 1, embed_dim)": "torch.randn(1, N, embed_dim)",
            "torch.cat([token, patches], dim=1) + self.positions": (
                "torch.cat([token, patches + self.positions], dim=1)"
            ),
        },
    ),
    "token-not-a-parameter": (
        "`class_token` is a plain tensor or a buffer, not a parameter: no optimizer finds it, "
        "and it stays as it was made.",
        {
            "nn.Parameter(torch.randn(1, 1, embed_dim) * 0.02)": "torch.zeros(1, 1, embed_dim)",
        },
    ),
    "multiplied-by-root": (
        "The projected patches are multiplied by sqrt(embed_dim), as the embeddings of words are "
        "in chapter 11. Here they are taken as they are.",
        {
            "patches = self.projection(patchify(images, self.patch_size))": (
                "patches = self.projection(patchify(images, self.patch_size)) * "
                "self.class_token.shape[-1] ** 0.5"
            ),
        },
        {
            "return torch.cat([token, patches], dim=1)": (
                "return torch.cat([token, patches], dim=1) * self.class_token.shape[-1] ** 0.5"
            ),
        },
    ),
    "positions-first": (
        "The positions are added twice to the patches, and once to the class token. All N + 1 "
        "vectors get their position once, after the token is put in front.",
        {
            "torch.cat([token, patches], dim=1)": (
                "torch.cat([token, patches + self.positions[:, 1:]], dim=1)"
            ),
        },
    ),
    "token-everywhere": (
        "The class token is added to the patches, too. It is only put before them, as a vector of "
        "its own.",
        {
            "torch.cat([token, patches], dim=1)": "torch.cat([token, patches + token], dim=1)",
        },
    ),
    "no-token": (
        "N vectors come back, not N + 1: the class token is not among them. It comes first.",
        {
            "torch.cat([token, patches], dim=1) + self.positions": (
                "patches + self.positions[:, 1:]"
            ),
        },
    ),
    "normalized": (
        "The vectors are normalized at the end. There is no norm here: in the encoder it stands "
        "before each part.",
        {
            "return torch.cat([token, patches], dim=1) + self.positions": (
                "return nn.functional.layer_norm(torch.cat([token, patches], dim=1) + "
                "self.positions, self.class_token.shape[-1:])"
            ),
        },
    ),
    "activated": (
        "The projected patches go through an activation. They are the result of a linear layer, "
        "as it is.",
        {
            "self.projection(patchify(images, self.patch_size))": (
                "self.projection(patchify(images, self.patch_size)).relu()"
            ),
        },
        {
            "self.projection(patchify(images, self.patch_size))": (
                "nn.functional.gelu(self.projection(patchify(images, self.patch_size)))"
            ),
        },
    ),
    "last-place-for-token": (
        "The class token got the last of the positions, and the patches the first N. The token "
        "stands in front, so the first position is its: add all N + 1 to the whole sequence.",
        {"+ self.positions": "+ self.positions.roll(1, dims=1)"},
    ),
}


@exercise("VisionTransformer", chapter="12-vit", points=3)
def _(student, reference, draw):
    for size, (height, width), layers in (((4, 6), (4, 6), 1), ((6, 4), (6, 4), 2), (4, (4, 4), 3)):
        arguments = (size, 2, 3, 5, 8, 2, 12, layers)
        mine, theirs = student(*arguments), reference(*arguments)
        weights = drawn_weights(theirs, draw)
        mine.load(weights)
        theirs.load(weights)
        images = draw.normal(B=2, C=3, H=height, W=width)
        case = f"image size {size}, {layers} {'layer' if layers == 1 else 'layers'}"
        agrees(mine, theirs, images, case=case)
        agrees(mine, theirs, images[:1], case=f"{case}, one image", ask=VALUES)
    for each in (mine, theirs):
        each.train(False)
    agrees(mine, theirs, images, case="in evaluation mode", ask=VALUES)
    arguments = (4, 2, 3, 1, 8, 2, 12, 1)
    mine, theirs = student(*arguments), reference(*arguments)
    weights = drawn_weights(theirs, draw)
    mine.load(weights)
    theirs.load(weights)
    agrees(mine, theirs, images, case="one class", ask=VALUES)


misconceptions["VisionTransformer"] = {
    "encoder-by-default": (
        "The encoder is post-norm with relu, as it is by default. A Vision Transformer is "
        "pre-norm with gelu: both are arguments of the encoder.",
        {', norm_first=True, activation="gelu"': ""},
    ),
    "post-norm": (
        "The blocks are post-norm: each norm comes after the sum. A Vision Transformer is "
        "pre-norm: the norm stands before attention and before feed-forward, and the residual "
        "path stays untouched.",
        {"norm_first=True": "norm_first=False"},
    ),
    "relu": (
        "The feed-forward networks use relu, the encoder's default. The Vision Transformer uses "
        "gelu: the encoder takes the activation as an argument.",
        {', activation="gelu"': ""},
    ),
    "average-of-all": (
        "The class is read from the average of all vectors. The contract reads it from the class "
        "token alone, whose only task is to collect what the head needs.",
        {"x[:, 0]": "x.mean(dim=1)"},
        {"self.norm(x[:, 0])": "self.norm(x).mean(dim=1)"},
    ),
    "average-of-patches": (
        "The class is read from the average of the patches, and what the encoder makes of the "
        "class token is not read. It is the class token that the head should read.",
        {"x[:, 0]": "x[:, 1:].mean(dim=1)"},
        {"self.norm(x[:, 0])": "self.norm(x)[:, 1:].mean(dim=1)"},
    ),
    "last-patch": (
        "The class is read from the last vector, which is the last patch. The class token comes "
        "first, so its vector has index 0.",
        {"x[:, 0]": "x[:, -1]"},
    ),
    "last-norm-missing": (
        "The norm before the head is missing. In a pre-norm encoder nothing normalizes the sum of "
        "all layers' contributions until this last norm does.",
        {"self.norm(x[:, 0])": "x[:, 0]"},
    ),
    "softmax-of-logits": (
        "The logits went through a softmax. The contract returns logits: the loss takes the "
        "softmax itself, and twice is too much.",
        {"self.head(self.norm(x[:, 0]))": "self.head(self.norm(x[:, 0])).softmax(dim=-1)"},
    ),
    "positions-unused": (
        "The positions are not added. Without them the encoder sees a bag of patches: shuffle the "
        "image's patches, and the class token cannot tell.",
        by(
            {"+ self.positions": ""},
            within="PatchEmbedding",
        ),
    ),
    "one-layer": (
        "All layers run with the first layer's weights. Each layer has weights of its own.",
        by(
            {"in self.encoder.layers": "in [self.encoder.layers[0]] * len(self.encoder.layers)"},
            style="torch's encoder layers inside",
        ),
    ),
    "norm-before-encoder": (
        "The norm stands before the encoder, and nothing is normalized after it. It belongs "
        "between the encoder and the head.",
        {
            "x = self.patch_embedding(images)": "x = self.norm(self.patch_embedding(images))",
            "self.norm(x[:, 0])": "x[:, 0]",
        },
    ),
    "norm-twice": (
        "The norm is used before the encoder, too. It belongs between the encoder and the head, "
        "and nowhere else.",
        {
            "x = self.patch_embedding(images)": "x = self.norm(self.patch_embedding(images))",
        },
    ),
    "first-patch": (
        "The class is read from the first patch, at index 1. The class token comes first, so its "
        "vector has index 0.",
        {
            "x[:, 0]": "x[:, 1]",
        },
    ),
    "maximum": (
        "The class is read from the largest numbers of all vectors, feature by feature. It is "
        "read from the class token alone.",
        {
            "x[:, 0]": "x.amax(dim=1)",
        },
        {
            "self.norm(x[:, 0])": "self.norm(x).amax(dim=1)",
        },
    ),
    "causal": (
        "The encoder is causal, so that the class token, which comes first, sees nothing but "
        "itself. An image has no order: all may look at all.",
        {
            "self.encoder(x)": (
                "self.encoder(x, torch.ones(x.shape[1], x.shape[1], dtype=torch.bool).tril())"
            ),
        },
    ),
    "log-softmax": (
        "The logits went through a log-softmax. The contract returns logits: the loss takes the "
        "softmax itself.",
        {
            "self.head(self.norm(x[:, 0]))": "self.head(self.norm(x[:, 0])).log_softmax(dim=-1)",
        },
    ),
    "embedding-added-again": (
        "The embedded sequence is added to what the encoder returned. The residual connections "
        "are inside its blocks.",
        {
            "x, _ = self.encoder(x)": ("made, _ = self.encoder(x)\nx = x + made"),
        },
    ),
    "encoder-unused": (
        "The encoder is not used: the class token goes to the head as it was embedded, and no "
        "patch has been seen by it.",
        {
            "x, _ = self.encoder(x)": "_ = self.encoder(x)",
        },
    ),
    "bytes": (
        "The images are divided by a number here, as bytes are by 255. They come as numbers of "
        "any size, and `patch_embedding` takes them as they are.",
        {
            "self.patch_embedding(images)": "self.patch_embedding(images / 255)",
        },
    ),
    "every-position": (
        "The head is applied to every vector. The class is read from the class token alone: the "
        "shape is (B, num_classes).",
        {
            "x[:, 0]": "x",
        },
    ),
}


def rows_of_weights(draw, *sizes, heads):
    """Attention weights: rows that sum to one."""
    return torch.softmax(2 * draw.normal(*sizes, H=heads, L=5, S=5), dim=-1)


@exercise("attention_rollout", chapter="12-vit", points=3)
def _(student, reference, draw):
    def check(weights, case):
        agrees(student, reference, weights, case=case, ask=Ask(gradients=False, double=False))
        wide = [layer.double() for layer in weights]
        wide = [layer / layer.sum(dim=-1, keepdim=True) for layer in wide]  # one, to all digits
        want, call = reference(wide), {"case": f"{case}: in float64"}
        close(student(wide), want, call=student.last_call, **call, rtol=1e-10, atol=1e-12)
        found = student.gradients(weights).inputs
        require(
            len(found) == len(weights)
            and all(bool(each.any()) and bool(each.isfinite().all()) for each in found.values()),
            f"{case}: no gradient, or one that is not finite, reaches some layer's weights.",
        )

    check([rows_of_weights(draw, 1, heads=1)], "one layer of one head")
    check([rows_of_weights(draw, 2, heads=3)], "one layer of three heads")
    check([rows_of_weights(draw, 2, heads=3) for _ in range(2)], "two layers")
    check([rows_of_weights(draw, 2, heads=3) for _ in range(4)], "four layers")
    check([rows_of_weights(draw, 2, heads=heads) for heads in (2, 4)], "layers of 2 and 4 heads")
    many = [rows_of_weights(draw, 1, heads=2) for _ in range(7)]
    agrees(student, reference, many, case="seven layers", ask=VALUES)
    _, left = student.with_inputs(many)
    require(
        len(left) == len(many),
        f"{student.last_call} changes the list that it gets: only read from it.",
    )


misconceptions["attention_rollout"] = {
    "identity-missing": (
        "The identity is missing: only attention is followed. Half of what a position passes on is "
        "what it had before, by the residual connection.",
        {"(layer.mean(dim=1) + identity) / 2": "layer.mean(dim=1)"},
    ),
    "wrong-order": (
        "The layers are multiplied in the wrong order. The last layer looks at what the layer "
        "before it made: its matrix stands on the left.",
        {"mixing @ rollout": "rollout @ mixing"},
    ),
    "not-halved": (
        "The identity was added, but the sum was not halved, so rows sum to two, four, eight. "
        "Shares of a whole should sum to one in every layer.",
        {"/ 2": ""},
    ),
    "heads-added": (
        "The heads were added up, not averaged. The average of rows that sum to one sums to "
        "one again.",
        {"layer.mean(dim=1)": "layer.sum(dim=1)"},
    ),
    "heads-maximum": (
        "The largest of the heads was taken, not their mean. That is a variant one meets; here "
        "the heads are averaged, and the mean of rows that sum to one does so again.",
        {"layer.mean(dim=1)": "layer.amax(dim=1)"},
        {
            "mixing = (layer.mean(dim=1) + identity) / 2": "mixing = layer.amax(dim=1) + identity\n"
            "mixing = mixing / mixing.sum(dim=-1, keepdim=True)"
        },
        {"layer.mean(dim=1)": "(layer.amax(dim=1) / layer.amax(dim=1).sum(dim=-1, keepdim=True))"},
    ),
    "last-layer-only": (
        "Only the last layer was looked at. It mixes vectors that are mixtures already; what of "
        "the input is in them, only the product of all layers says.",
        {"mixing if rollout is None else mixing @ rollout": "mixing"},
    ),
    "layers-averaged": (
        "The layers were averaged. One layer works on what another returns, so their matrices are "
        "multiplied.",
        {
            "mixing @ rollout": "mixing + rollout",
            "return rollout": "return rollout / len(weights)",
        },
    ),
    "entry-by-entry": (
        "The matrices were multiplied entry by entry (`*`). Following a path through two layers "
        "sums over all positions in between: that is the matrix product (`@`).",
        {"mixing @ rollout": "mixing * rollout"},
    ),
    "identity-once": (
        "The identity was counted once, after the product of all layers. Every layer has a "
        "residual connection of its own.",
        {
            "(layer.mean(dim=1) + identity) / 2": "layer.mean(dim=1)",
            "return rollout": "return (rollout + identity) / 2",
        },
    ),
    "layers-stacked": (
        "The layers were put together to one tensor, which takes the same number of heads in "
        "each. H may differ: average the heads of each layer first.",
        {"for layer in weights": "for layer in torch.stack(weights)"},
    ),
    "heads-minimum": (
        "The smallest of the heads was taken, not their mean. That is a variant one meets; here "
        "the heads are averaged, and the mean of rows that sum to one does so again.",
        {
            "layer.mean(dim=1)": "layer.amin(dim=1)",
        },
        {
            "mixing = (layer.mean(dim=1) + identity) / 2": "mixing = layer.amin(dim=1) + identity\n"
            "mixing = mixing / mixing.sum(dim=-1, keepdim=True)"
        },
    ),
    "transposed": (
        "The layers' matrices are transposed, or both their order and the result are turned "
        "around. Row i is what output i is made of, and the rows sum to one.",
        {
            "(layer.mean(dim=1) + identity) / 2": "((layer.mean(dim=1) + identity) / 2).mT",
        },
    ),
    "result-transposed": (
        "The result is transposed. Row i is what output i is made of, so the rows sum to one.",
        {
            "return rollout": "return rollout.mT",
        },
    ),
    "first-layer-skipped": (
        "The first layer is left out of the product. Every layer mixes.",
        {
            "for layer in weights": "for layer in weights[1:] or weights",
        },
    ),
    "first-row-only": (
        "Only the row of the first position comes back. The result has a row for each output, "
        "(B, L, L).",
        {
            "return rollout": "return rollout[:, 0]",
        },
    ),
    "heads-averaged-last": (
        "The heads are multiplied apart through all layers, and averaged at the end. They are "
        "averaged in each layer first: a head goes on from what all heads of the layer below "
        "have passed.",
        {
            "(layer.mean(dim=1) + identity) / 2": "(layer + identity) / 2",
            "return rollout": "return rollout.mean(dim=1)",
        },
    ),
    "identity-beside-product": (
        "The identity is added to the product, where the product without this layer belongs: the "
        "residual connection passes on what all layers below have made.",
        {
            "mixing if rollout is None else mixing @ rollout": (
                "mixing if rollout is None else (layer.mean(dim=1) @ rollout + identity) / 2"
            ),
        },
    ),
    "batch-averaged": (
        "The images are averaged where the heads should be. The heads are dimension 1 of each "
        "layer.",
        {
            "layer.mean(dim=1)": "layer.mean(dim=0)",
        },
    ),
    "one-head": (
        "Only the first head of each layer was looked at. The heads are averaged.",
        {
            "layer.mean(dim=1)": "layer[:, 0]",
        },
    ),
    "first-residual-missing": (
        "The product begins with the first layer's averaged weights alone, without its residual "
        "connection. Every layer is (A + I) / 2, the first one too.",
        {
            "mixing if rollout is None else": "layer.mean(dim=1) if rollout is None else",
        },
    ),
    "last-residual-missing": (
        "The last layer counts with its averaged weights alone, without its residual connection. "
        "Every layer is (A + I) / 2, the last one too.",
        {
            "mixing = (layer.mean(dim=1) + identity) / 2": (
                "mixing = layer.mean(dim=1)\n"
                "if layer is not weights[-1]:\n"
                "    mixing = (mixing + identity) / 2"
            ),
        },
    ),
    "first-layer-twice": (
        "The first layer is multiplied in twice, as where the product begins with it and a loop "
        "then runs over all layers. Begin with the identity, or leave the first layer out of the "
        "loop.",
        {"mixing if rollout is None else": "mixing @ mixing if rollout is None else"},
        {"mixing if rollout is None else": "mixing @ layer.mean(dim=1) if rollout is None else"},
    ),
    "small-weights-dropped": (
        "The smaller weights of each layer are set to zero, as a variant does for clearer "
        "pictures. All weights count here: average the heads, add the identity, and halve the "
        "sum.",
        *[
            {
                "mixing = (layer.mean(dim=1) + identity) / 2": (
                    "flat = layer.mean(dim=1).flatten(1)\n"
                    f"least = flat.topk(int(flat.shape[1] * {share}), largest=False).indices\n"
                    "mixing = flat.scatter(1, least, 0.0).reshape(len(flat), *identity.shape)\n"
                    f"mixing = (mixing + identity) / 2\n{after}"
                )
            }
            for share in (0.9, 0.5)
            for after in ("mixing = mixing / mixing.sum(dim=-1, keepdim=True)", "")
        ],
    ),
}


def seeded(seed, other=0, drawn=0):
    torch.manual_seed(other)  # what is drawn without the generator is told apart by this
    generator = torch.Generator().manual_seed(seed)
    torch.rand(drawn, generator=generator)
    return generator


def kept(seed):
    """One generator, whenever it is asked for in a process."""
    generators = vars(torch).setdefault("kept_by_a_check", {})
    return generators.setdefault(seed, torch.Generator().manual_seed(seed))


def after_seeding(seed, ratio):
    torch.manual_seed(seed)
    return ratio


def drawn_from(seed):
    generator = torch.Generator().manual_seed(seed)
    torch.rand(5, generator=generator)
    return generator


@exercise("random_patch_mask", chapter="12-vit", points=2)
def _(student, reference, draw):
    seed = draw.int(0, 2**30)

    def mask(batch, num_patches, ratio, seed, **more):
        arguments = (batch, num_patches, ratio, built(seeded, seed=seed, **more))
        wanted = reference(*arguments)
        found = student(*arguments)
        close(found, wanted, call=student.last_call, atol=2.0)  # which patches is free
        return found

    for num_patches, ratio in (
        (16, 0.75),
        (16, 0.6),
        (16, 0.4),
        (15, 0.5),
        (13, 0.5),
        (9, 0.0),
        (9, 1.0),
        (9, 0.04),
        (25, 1.0),
        (1, 1.0),
    ):
        found = mask(8, num_patches, ratio, seed)
        counts, count = found.sum(dim=1).tolist(), round(ratio * num_patches)
        require(
            set(counts) == {count},
            f"{student.last_call} should mask exactly {count} of {num_patches} patches in every "
            f"row: round({ratio} * {num_patches}). It masks {counts}.",
        )
    mask(1, 9, 0.5, seed)
    many, every = mask(4000, 6, 0.5, seed), math.comb(6, 3)
    sets, counts = many.unique(dim=0, return_counts=True)
    require(len(sets) > 1, f"{student.last_call}: all rows are alike; they should differ.")
    for one, other in ((many[::2], many[1::2]), many.chunk(2)):
        pairs = torch.cat([one, other], dim=1).unique(dim=0)
        require(
            len(pairs) > len(sets) ** 2 / 2,
            f"{student.last_call}: rows are decided by other rows: of two rows, {len(pairs)} pairs "
            f"come instead of {len(sets) ** 2}. Each row should be chosen by itself.",
        )
    require(
        len(sets) == every and bool(((counts - 4000 / every).abs() < 80).all()),
        f"{student.last_call}: of the {every} ways to choose 3 of 6 patches, some never come, or "
        f"too seldom or too often ({sorted(counts.tolist())} times each): all should be equally "
        "likely.",
    )
    first, other = mask(8, 16, 0.75, seed), mask(8, 16, 0.75, seed, other=1)
    require(
        torch.equal(first, other),
        f"{student.last_call}: two generators with the same seed give different masks: some "
        "randomness does not come from `generator`.",
    )
    used = student(8, 16, 0.75, built(drawn_from, seed=seed))
    require(
        not torch.equal(first, used),
        f"{student.last_call}: a generator that was drawn from before gives the mask that a new "
        "one of its seed gives: it should go on where it stands.",
    )
    another = mask(8, 16, 0.75, seed + 1)
    require(
        not torch.equal(first, another),
        f"{student.last_call}: generators with different seeds give the same mask.",
    )
    require(
        not torch.equal(first, mask(8, 16, 0.75, seed, drawn=128)),
        f"{student.last_call}: a generator that has drawn before gives the same mask as a new one. "
        "It should go on from where it is: the next call with the same generator gives another "
        "mask.",
    )
    arguments = 8, 16, 0.75, built(kept, seed=seed)
    require(
        not torch.equal(student(*arguments), student(*arguments)),
        f"{student.last_call}: two calls with one generator give the same mask: what was drawn for "
        "the first is drawn again.",
    )
    arguments = 8, 16, built(after_seeding, seed=seed, ratio=0.75)
    require(
        torch.equal(student(*arguments), student(*arguments)),
        f"{student.last_call}: without a generator, something is drawn from another one than "
        "torch's global one: with the same seed there, the mask is another one.",
    )
    free, again = student(8, 16, 0.75), student(8, 16, 0.75)
    require(
        not torch.equal(free, again),
        f"{student.last_call} gives the same mask twice: without a generator, every call draws "
        "anew.",
    )


misconceptions["random_patch_mask"] = {
    "by-chance": (
        "The number of masked patches differs from row to row, as where each patch is masked by "
        "chance, by itself. The contract wants exactly the same number in every row.",
        {
            ".argsort()": "",
            "places < count": "places < ratio",
        },
    ),
    "generator-restarted": (
        "Every call begins again at the seed of the generator, so that a generator gives the same "
        "mask each time. Draw from the generator itself, as it stands: the seed was set by "
        "whoever made it.",
        {
            "count = round(ratio * num_patches)": "count = round(ratio * num_patches)\n"
            "if generator is not None:\n"
            "    generator.manual_seed(generator.initial_seed())"
        },
    ),
    "true-is-kept": (
        "As many patches are masked as should stay, as when True and False are exchanged. True "
        "means masked, and there are round(ratio * num_patches) of them.",
        {"places < count": "places >= count"},
    ),
    "cut-off": (
        "The number of masked patches is cut off, not rounded: `int(9.6)` is 9, `round(9.6)` is "
        "10.",
        {"round(": "int("},
    ),
    "rounded-up": (
        "The number of masked patches is rounded up. It is Python's `round`: to the nearest whole "
        "number.",
        {"round(ratio * num_patches)": "-int(-ratio * num_patches // 1)"},
    ),
    "half-up": (
        "A half is always rounded up here. Python's `round` takes the even neighbor: `round(6.5)` "
        "is 6, and `round(7.5)` is 8.",
        {"round(ratio * num_patches)": "int(ratio * num_patches + 0.5)"},
    ),
    "same-rows": (
        "One choice was made for the whole batch, so all rows are alike. Each image should have "
        "patches of its own masked.",
        {
            "torch.rand(batch, num_patches, generator=generator).argsort()": (
                "torch.rand(num_patches, generator=generator).argsort().repeat(batch, 1)"
            )
        },
    ),
    "first-patches": (
        "The same patches are masked in every row and by every call, as the first ones, or by a "
        "seed that is set inside. Each row is a random choice of its own.",
        {
            "torch.rand(batch, num_patches, generator=generator).argsort()": (
                "torch.arange(num_patches).repeat(batch, 1)"
            )
        },
    ),
    "one-run": (
        "Some sets of patches come too seldom or never, as when the masked ones are a run of "
        "neighbors from a random place on, or equal random numbers are sorted. All sets of that "
        "size should be equally likely.",
        {
            "torch.rand(batch, num_patches, generator=generator).argsort()": (
                "torch.arange(num_patches) - torch.randint(num_patches, (batch, 1), "
                "generator=generator)"
            ),
            "places < count": "places % num_patches < count",
        },
    ),
    "generator-unused": (
        "Not all randomness is drawn from `generator`, so the same seed gives another mask each "
        "time, and no run can be repeated. Hand it on to whatever draws.",
        {", generator=generator": ""},
    ),
    "seed-set": (
        "Every call without a generator gives the same mask, as when a seed is set inside. Draw "
        "from torch's global generator then, as it stands.",
        {
            "count =": ("if generator is None:\n    torch.manual_seed(0)\ncount ="),
        },
        {
            "count =": ("generator = generator or torch.Generator().manual_seed(0)\ncount ="),
        },
    ),
    "with-replacement": (
        "The masked patches are drawn one by one and put back, so that one may come twice and "
        "fewer are masked. Draw each patch once, as by a permutation.",
        {
            "return places < count": (
                "drawn = torch.randint(num_patches, (batch, count), generator=generator)\n"
                "return torch.zeros(batch, num_patches, dtype=torch.bool).scatter(1, drawn, True)"
            ),
        },
    ),
    "not-boolean": (
        "The mask holds 0 and 1 as numbers. It should be boolean, so that it can be used as an "
        "index and turned around by `~`.",
        {
            "places < count": "(places < count).float()",
        },
        {
            "places < count": "(places < count).long()",
        },
    ),
    "row-from-row": (
        "Rows are decided by other rows, as when one choice is moved on by a place from image to "
        "image. Every row should be a random choice of its own.",
        {
            "torch.rand(batch, num_patches, generator=generator).argsort()": (
                "torch.randperm(num_patches, generator=generator)"
            ),
            "return places < count": (
                "return torch.stack([(places < count).roll(n) for n in range(batch)])"
            ),
        },
    ),
    "indices": (
        "The numbers of the masked patches come back. A boolean mask is wanted, (batch, "
        "num_patches), True where a patch is masked.",
        {
            "return places < count": "return places[:, :count]",
        },
    ),
}


@exercise("masked_patch_loss", chapter="12-vit", points=2)
def _(student, reference, draw):
    predicted, target = draw.normal(B=3, N=6, K=4), draw.normal(B=3, N=6, K=4)
    mask = torch.stack([draw.permutation(6) < 4 for _ in range(3)])
    agrees(student, reference, predicted, target, mask, case="four masked patches an image")
    mask = torch.stack([draw.permutation(6) < count for count in (1, 3, 5)])
    agrees(student, reference, predicted, target, mask, case="1, 3 and 5 masked patches")
    mask[0] = False
    agrees(student, reference, predicted, target, mask, case="an image without a masked patch")
    everything = torch.ones(3, 6, dtype=torch.bool)
    agrees(student, reference, predicted, target, everything, case="every patch masked")
    one = draw.normal(1, 1, 1), draw.normal(1, 1, 1)
    agrees(student, reference, *one, everything[:1, :1], case="one masked patch of one pixel")
    nothing = torch.zeros(3, 6, dtype=torch.bool)
    agrees(student, reference, predicted, target, nothing, case="no patch masked")
    backpropagates(student, predicted, target, nothing, case="no patch masked")
    even = torch.stack([target[0], 0 * target[1], predicted[2]])
    case = "a patch of zeros, and one without any difference"
    agrees(student, reference, predicted, even, everything, case=case, ask=VALUES)
    large = 100 * predicted, target, mask
    agrees(student, reference, *large, case="differences of hundreds", ask=VALUES)


misconceptions["masked_patch_loss"] = {
    "visible-by-masked": (
        "The sum runs over the visible patches. True in the mask means masked, and those are what "
        "the model has to fill in.",
        {
            "difference = predicted[mask] - target[mask]": "difference = predicted[~mask] - "
            "target[~mask]",
            "max(difference.numel(), 1)": "max(predicted[mask].numel(), 1)",
        },
    ),
    "all-patches": (
        "The loss is over all patches. The visible ones were given to the model, and copying them "
        "is no achievement: only masked patches count.",
        {"predicted[mask] - target[mask]": "predicted - target"},
    ),
    "visible-patches": (
        "The loss is over the visible patches. True in the mask means masked, and those are what "
        "the model has to fill in.",
        {"predicted[mask] - target[mask]": "predicted[~mask] - target[~mask]"},
    ),
    "by-all-patches": (
        "The squared differences of the masked patches are added up, but divided by the number of "
        "all elements. The mean is over masked patches alone.",
        {"max(difference.numel(), 1)": "predicted.numel()"},
    ),
    "by-patches": (
        "The sum is divided by the number of masked patches, not by the number of their elements: "
        "each patch counts with the sum of its pixels.",
        {"difference.numel()": "len(difference)"},
    ),
    "summed": (
        "The squared differences are summed, not averaged, so the loss grows with the batch.",
        {"/ max(difference.numel(), 1)": ""},
    ),
    "absolute": (
        "The differences are taken without their squares: this is the mean absolute error.",
        {"difference.square()": "difference.abs()"},
    ),
    "root": (
        "The root of the mean was taken. The contract wants the mean squared error itself.",
        {
            "difference.square().sum() / max(difference.numel(), 1)": (
                "(difference.square().sum() / max(difference.numel(), 1)).sqrt()"
            )
        },
    ),
    "mean-of-images": (
        "Each image is averaged by itself, and then the images. Where they have different numbers "
        "of masked patches, a patch counts more in an image with few: average over all of them at "
        "once.",
        *[
            {
                "difference = predicted[mask] - target[mask]": (
                    "patches = (predicted - target).square().mean(dim=-1) * mask"
                ),
                "difference.square().sum() / max(difference.numel(), 1)": (
                    f"(patches.sum(dim=1) / mask.sum(dim=1).clamp(min=1)).{images}"
                ),
            }
            for images in ("mean()", "sum() / mask.any(dim=1).sum().clamp(min=1)")
        ],
    ),
    "nothing-nan": (
        "Without any masked patch the result is NaN, as of zero over zero or of the mean of no "
        "numbers. A loss over nothing is 0 here.",
        {"difference.square().sum() / max(difference.numel(), 1)": "difference.square().mean()"},
    ),
    "by-images": (
        "The sum is divided by the number of images. It is divided by the number of elements of "
        "all masked patches.",
        {
            "max(difference.numel(), 1)": "len(predicted)",
        },
    ),
    "by-patch-width": (
        "The sum is divided by the number of elements of one patch alone. It is divided by the "
        "number of elements of all masked patches.",
        {
            "max(difference.numel(), 1)": "predicted.shape[-1]",
        },
    ),
    "prediction-masked-only": (
        "The predictions outside the mask are set to zero, and the targets are not: visible "
        "patches then count with the squares of their pixels. Both sides are masked.",
        {
            "predicted[mask] - target[mask]": "predicted * mask.unsqueeze(-1) - target",
            "max(difference.numel(), 1)": "max(int(mask.sum()) * predicted.shape[-1], 1)",
        },
    ),
    "halved": (
        "Half of the mean comes back. The mean itself is wanted.",
        {
            "difference.square().sum()": "difference.square().sum() / 2",
        },
    ),
    "difference-averaged-first": (
        "The differences are averaged before they are squared, so that positive and negative "
        "ones cancel out. Each is squared first.",
        {
            "difference.square().sum() / max(difference.numel(), 1)": (
                "(difference.sum() / max(difference.numel(), 1)).square()"
            ),
        },
    ),
}


prediction(
    "patches-moved",
    chapter="12-vit",
    question=(
        "The patches of an image are moved to other places, and their position vectors are moved "
        "along with them. What becomes of the class token's output?"
    ),
    right="It is the same.",
    options={
        "It is the same.": (
            "The encoder gets the same vectors in another order, and attention is blind to order. "
            "Nothing else in the model says which patches are neighbors."
        ),
        "It changes a little.": (
            "That happens when the patches move and the positions stay. Which vectors does the "
            "encoder get when both move?"
        ),
        "It is as different as for another image.": (
            "A person would hardly recognize the image. But who told the model what lies beside "
            "what? It adds to each patch the position that belongs to it."
        ),
    },
)

prediction(
    "four-patches-hidden",
    chapter="12-vit",
    question=(
        "Of each digit's 16 patches four are hidden: the four with the most ink, or the four "
        "with the highest rollout. Which of the two does the model miss more, when they are left "
        "out of its sequence, and when they are painted white?"
    ),
    right="Left out: those with the highest rollout. Painted white: those with the most ink.",
    options={
        "Those with the highest rollout, both times.": (
            "A map that shows what the model reads should win both times. Left out, its patches "
            "are indeed missed more. But a white patch is still read, and says something false."
        ),
        "Those with the most ink, both times.": (
            "Painted white, they are missed more: the digit's strokes are gone. But left out, "
            "they are missed less than four at random."
        ),
        "Left out: those with the highest rollout. Painted white: those with the most ink.": (
            "Perhaps because a patch that is left out says nothing, and a white one says that no "
            "stroke is there. Two ways to hide the same patches give opposite verdicts."
        ),
        "Left out: those with the most ink. Painted white: those with the highest rollout.": (
            "The two verdicts do differ, but the other way around. What does a white patch say in "
            "a place where there was much ink?"
        ),
    },
)
