"""Chapter 12."""

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
            "The patches come in column order",
        ),
        (
            "einops",
            {'"b c (h p) (w q) -> b (h w) (c p q)"': '"b c (h p) (w q) -> b (h w) (p q c)"'},
            "The channel comes last",
        ),
        (
            "unfold",
            {
                "F.unfold(images, patch_size, stride=patch_size).transpose(1, 2)": (
                    "images.reshape(len(images), -1, images.size(1) * patch_size**2)"
                )
            },
            "The image was reshaped without moving any axis",
        ),
        (
            "loops",
            {
                "top in range(0, height, patch_size)": "left in range(0, width, patch_size)",
                "left in range(0, width, patch_size)": "top in range(0, height, patch_size)",
            },
            "The patches come in column order",
        ),
        ("loops", {"patch.flatten(1)": "patch.mT.flatten(1)"}, "Each patch is written column by"),
    ],
    "unpatchify": [
        (
            "einops",
            {'"b (h w) (c p q) -> b c (h p) (w q)"': '"b (w h) (c p q) -> b c (h p) (w q)"'},
            "The patches were laid out column by column",
        ),
        (
            "einops",
            {'"b (h w) (c p q) -> b c (h p) (w q)"': '"b (h w) (p q c) -> b c (h p) (w q)"'},
            "The vector of a patch was read with the channel last",
        ),
        (
            "fold",
            {
                "F.fold(patches.transpose(1, 2), (height, width), patch_size, stride=patch_size)": (
                    "patches.reshape(-1, channels, height, width)"
                )
            },
            "The patches were reshaped to an image without moving any axis",
        ),
        (
            "rows of patches",
            {
                "reshape(-1, channels, patch_size, patch_size)": (
                    "reshape(-1, channels, patch_size, patch_size).mT"
                )
            },
            "Inside each patch rows and columns are exchanged",
        ),
    ],
    "PatchEmbedding": [
        (
            CONVOLUTION,
            {
                "features.flatten(2).mT + self.positions[:, 1:]": "features.flatten(2).mT",
                "self.class_token + self.positions[:, :1]": "self.class_token",
            },
            "The positions are not added at all",
        ),
        (
            CONVOLUTION,
            {"self.class_token + self.positions[:, :1]": "self.class_token"},
            "The positions were added before the class token",
        ),
        (
            CONVOLUTION,
            {"features.flatten(2)": "features.mT.flatten(2)"},
            "The patches are in column order",
        ),
        ("einops", {"[token, patches]": "[patches, token]"}, "The class token stands at the end"),
        (
            "einops",
            {'"b c (h p) (w q) -> b (h w) (c p q)"': '"b c (h p) (w q) -> b (h w) (p q c)"'},
            "Inside each patch the channel comes last",
        ),
        ("einops", {"sequence + self": "sequence * self"}, "The sequence is multiplied"),
    ],
    "VisionTransformer": [
        (LAYERS, {"F.gelu": "F.relu"}, "The feed-forward networks use relu"),
        (LAYERS, {"self.norm(x)[:, 0]": "x[:, 0]"}, "The norm before the head is missing"),
        (
            LAYERS,
            {"self.head(self.norm(x)[:, 0])": "self.head(self.norm(x)[:, 0]).softmax(-1)"},
            "The logits went through a softmax",
        ),
        (FRONT, {'"norm_first": True,': ""}, "The blocks are post-norm"),
        (FRONT, {"class_token, *_": "*_, class_token"}, "The class is read from the last vector"),
    ],
    "attention_rollout": [
        (
            PAPER,
            {"torch.bmm(mixing, rollout)": "torch.bmm(rollout, mixing)"},
            "The layers are multiplied in the wrong order",
        ),
        (
            PAPER,
            {"mixing = mixing / mixing.sum(dim=-1, keepdim=True)": ""},
            "The identity was added, but the sum was not halved",
        ),
        (
            BACKWARDS,
            {"0.5 * attended + 0.5 * rollout": "attended"},
            "The identity is missing",
        ),
        (BACKWARDS, {"/ layer.shape[1]": ""}, "The heads were added up"),
    ],
    "random_patch_mask": [
        (
            PERMUTATION,
            {"round(ratio * num_patches)": "int(ratio * num_patches)"},
            "The number of masked patches is cut off",
        ),
        (
            PERMUTATION,
            {"torch.zeros(": "torch.ones(", "= True": "= False"},
            "True and False are exchanged",
        ),
        (LARGEST, {", generator=generator": ""}, "`generator` is not used"),
        (
            LARGEST,
            {"round(num_patches * ratio)": "int(num_patches * ratio + 0.5)"},
            "A half is always rounded up",
        ),
    ],
    "masked_patch_loss": [
        (
            ZEROS,
            {"counted.sum().clamp(min=1)": "predicted.numel()"},
            "The squared differences of the masked patches are added up",
        ),
        (
            ZEROS,
            {"(predicted - target) ** 2": "(predicted - target).abs()"},
            "The differences are taken without their squares",
        ),
        (LIBRARY, {"if not mask.any():": "if False:"}, "Without any masked patch"),
        (A_PATCH, {"mean(dim=-1)": "sum(dim=-1)"}, "The sum is divided by the number of masked"),
        (LIBRARY, {"F.mse_loss": "F.l1_loss"}, "The differences are taken without their squares"),
    ],
}
