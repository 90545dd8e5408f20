# A normalization of torch's does the work: group.
# expect: failed: the library's own


class LayerNorm(nn.Module):
    def __init__(self, embed_dim, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(embed_dim))
        self.bias = nn.Parameter(torch.zeros(embed_dim))

    def forward(self, x):
        return (
            torch.group_norm(x.reshape(-1, x.shape[-1]), 1, eps=self.eps).reshape(x.shape)
            * self.weight
            + self.bias
        )
