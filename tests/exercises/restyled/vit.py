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
