# The operation under batch norm, with the vectors as the channels.
# expect: failed: the library's own


class LayerNorm(Provided):
    def forward(self, x):
        vectors = (x - x.mean(-1, keepdim=True)).reshape(1, -1, x.shape[-1])
        call = torch.ops.aten._native_batch_norm_legit.no_stats
        normed = call(vectors, None, None, True, 0.0, self.eps)[0]
        return normed.reshape(x.shape) * self.weight + self.bias
