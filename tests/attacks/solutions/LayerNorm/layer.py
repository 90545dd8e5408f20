# A normalization of torch's does the work: layer.
# expect: failed: the library's own


class LayerNorm(Provided):
    def forward(self, x):
        return (
            nn.LayerNorm(x.shape[-1], self.eps, elementwise_affine=False, dtype=x.dtype)(x)
            * self.weight
            + self.bias
        )
