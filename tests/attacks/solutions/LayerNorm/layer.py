# A normalization of torch's does the work: layer.
# expect: failed: the library's own


class LayerNorm(nn.Module):
    def __init__(self, embed_dim, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(embed_dim))
        self.bias = nn.Parameter(torch.zeros(embed_dim))

    def forward(self, x):
        return (
            nn.LayerNorm(x.shape[-1], self.eps, elementwise_affine=False, dtype=x.dtype)(x)
            * self.weight
            + self.bias
        )
