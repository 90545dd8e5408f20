# A normalization of torch's does the work: group.
# expect: failed: the library's own


class LayerNorm(Provided):
    def forward(self, x):
        return (
            torch.group_norm(x.reshape(-1, x.shape[-1]), 1, eps=self.eps).reshape(x.shape)
            * self.weight
            + self.bias
        )
