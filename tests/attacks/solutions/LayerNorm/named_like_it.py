# Right, with a static method, an attribute and a printed line that are named like the library's.
# expect: passed


class LayerNorm(nn.Module):
    """Not torch.nn.LayerNorm, nor F.layer_norm."""

    def __init__(self, embed_dim, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.group_norm = "layer_norm"
        self.weight = nn.Parameter(torch.ones(embed_dim))
        self.bias = nn.Parameter(torch.zeros(embed_dim))

    @staticmethod
    def layer_norm(x, eps):
        centered = x - x.mean(-1, keepdim=True)
        return centered / (centered.square().mean(-1, keepdim=True) + eps).sqrt()

    def forward(self, x):
        print("layer_norm", self.group_norm)
        return LayerNorm.layer_norm(x, self.eps) * self.weight + self.bias


ours, theirs = LayerNorm(4), nn.LayerNorm(4)
example = torch.arange(8.0).reshape(2, 4)
assert torch.allclose(ours(example), F.layer_norm(example, (4,)), atol=1e-5)
assert torch.allclose(ours(example), theirs(example), atol=1e-5)
