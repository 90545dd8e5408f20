# A normalization of torch's does the work: native.
# expect: failed: the library's own


class LayerNorm(Provided):
    def forward(self, x):
        return torch.ops.aten.native_layer_norm.default(
            x, [x.shape[-1]], self.weight, self.bias, self.eps
        )[0]
