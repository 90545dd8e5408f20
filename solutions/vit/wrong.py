"""Wrong answers, as changes of right ones, each with the key of what is to be said of it."""

WRONG = {
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
                ("F.unfold(images, patch_size, stride=patch_size).transpose(1, 2)"): (
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
        ("from the docstring", {"2, 4": "4, 2"}, "column-order"),
        ("from the docstring", {"1, 3, 5": "3, 5, 1"}, "channel-last"),
        ("from the docstring", {"x.permute(0, 2, 4, 1, 3, 5)": "images"}, "reshaped-only"),
        (
            "from the docstring",
            {
                "return x.permute(0, 2, 4, 1, 3, 5).reshape("
                "B, -1, C * P * P)": "return nn.functional.unfold("
                "images, P, stride=P).reshape(B, -1, C * P * P)"
            },
            "unfolded-unswapped",
        ),
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
                (
                    "F.fold(patches.transpose(1, 2), (height, "
                    "width), patch_size, stride=patch_size)"
                ): "patches.reshape(-1, channels, height, width)"
            },
            "reshaped-only",
        ),
        (
            "rows of patches",
            {
                ("reshape(-1, channels, patch_size, patch_size)"): (
                    "reshape(-1, channels, patch_size, patch_size).mT"
                )
            },
            "patches-transposed",
        ),
        ("from the docstring", {"height // P, width": "width // P, height"}, "grid-transposed"),
        ("from the docstring", {"4, 2, 5": "5, 2, 4"}, "patches-transposed"),
    ],
    "PatchEmbedding": [
        (
            "convolution with the projection's weights",
            {
                ("features.flatten(2).mT + self.positions[:, 1:]"): "features.flatten(2).mT",
                "self.class_token + self.positions[:, :1]": "self.class_token",
            },
            "positions-unused",
        ),
        (
            "convolution with the projection's weights",
            {"self.class_token + self.positions[:, :1]": "self.class_token"},
            "class-token-unplaced",
        ),
        (
            "convolution with the projection's weights",
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
        ("from the docstring", {"token, x": "x, token"}, "class-token-last"),
        (
            "from the docstring",
            {"], dim=1) + self.positions": "+ self.positions[:, 1:]], dim=1)"},
            "class-token-unplaced",
        ),
        (
            "from the docstring",
            {
                ", x], dim=1) + self.positions": (
                    "+ self.positions[:, -1:], x + self.positions[:, :-1]], dim=1)"
                )
            },
            "last-place-for-token",
        ),
    ],
    "VisionTransformer": [
        ("torch's encoder layers inside", {"F.gelu": "F.relu"}, "relu"),
        ("torch's encoder layers inside", {"self.norm(x)[:, 0]": "x[:, 0]"}, "last-norm-missing"),
        (
            "torch's encoder layers inside",
            {"self.head(self.norm(x)[:, 0])": "self.head(self.norm(x)[:, 0]).softmax(-1)"},
            "softmax-of-logits",
        ),
        ("earlier classes, read from the front", {'"norm_first": True,': ""}, "post-norm"),
        (
            "earlier classes, read from the front",
            {"class_token, *_": "*_, class_token"},
            "last-patch",
        ),
        ("from the docstring", {"0": "-1"}, "last-patch"),
        ("from the docstring", {"[:, 0]": ".mean(1)"}, "average-of-all"),
        ("from the docstring", {"norm_first=True, ": ""}, "post-norm"),
        ("from the docstring", {'True, activation="gelu"': "True"}, "relu"),
    ],
    "attention_rollout": [
        (
            "rows normalized, as the paper's code does it",
            {"torch.bmm(mixing, rollout)": "torch.bmm(rollout, mixing)"},
            "wrong-order",
        ),
        (
            "rows normalized, as the paper's code does it",
            {("mixing = mixing / mixing.sum(dim=-1, keepdim=True)"): ""},
            "not-halved",
        ),
        (
            "from the last layer backwards, einsum",
            {"0.5 * attended + 0.5 * rollout": "attended"},
            "identity-missing",
        ),
        ("from the last layer backwards, einsum", {"/ layer.shape[1]": ""}, "heads-added"),
        ("from the docstring", {"a @ result": "result @ a"}, "wrong-order"),
        (
            "from the docstring",
            {("a = (a + torch.eye(a.shape[-1], dtype=a.dtype)) / 2"): ""},
            "identity-missing",
        ),
        ("from the docstring", {"mean(dim=1)": "max(dim=1).values"}, "heads-maximum"),
    ],
    "random_patch_mask": [
        (
            "a permutation a row",
            {"round(ratio * num_patches)": "int(ratio * num_patches)"},
            "cut-off",
        ),
        (
            "a permutation a row",
            {"torch.zeros(": "torch.ones(", "= True": "= False"},
            "true-is-kept",
        ),
        ("the largest of random numbers", {", generator=generator": ""}, "generator-unused"),
        (
            "the largest of random numbers",
            {"round(num_patches * ratio)": "int(num_patches * ratio + 0.5)"},
            "half-up",
        ),
        (
            "from the docstring",
            {"order < k": ("torch.rand(batch, num_patches, generator=generator) < ratio")},
            "by-chance",
        ),
        (
            "from the docstring",
            {"order < k": "(order < k)[:1].expand(batch, -1).clone()"},
            "same-rows",
        ),
        ("from the docstring", {"round": "int"}, "cut-off"),
    ],
    "masked_patch_loss": [
        (
            "weights of zero and one",
            {"counted.sum().clamp(min=1)": "predicted.numel()"},
            "by-all-patches",
        ),
        (
            "weights of zero and one",
            {"(predicted - target) ** 2": "(predicted - target).abs()"},
            "absolute",
        ),
        ("library loss of what is selected", {"if not mask.any():": "if False:"}, "nothing-nan"),
        ("mean a patch, then over the patches", {"mean(dim=-1)": "sum(dim=-1)"}, "by-patches"),
        ("library loss of what is selected", {"F.mse_loss": "F.l1_loss"}, "absolute"),
        (
            "from the docstring",
            {"square, torch.zeros_like(square)": "torch.zeros_like(square), square"},
            "visible-by-masked",
        ),
        ("from the docstring", {"(mask.sum() * predicted.shape[-1]": "mask.sum("}, "by-patches"),
        ("from the docstring", {"** 2": ".abs()"}, "absolute"),
    ],
}

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
