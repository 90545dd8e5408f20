# Tensors without values, sparse, quantized, of other dtypes or of no size.
#
# /// expect
# double = "failed"
# softmax = "failed"
# distance_scores = "failed"
# LearnedPositions = "failed"
# ///

# %% double
def double(x):
    return torch.empty(x.shape, device="meta")


# %% softmax
def softmax(scores, dim=-1):
    return scores.to_sparse()


# %% distance_scores
def distance_scores(query, key):
    return torch.quantize_per_tensor(query @ key.mT, 0.1, 0, torch.qint8)


# %% LearnedPositions
class LearnedPositions(nn.Module):
    def __init__(self, *sizes):
        super().__init__()
        self.W_q, self.W_k, self.W_v = (nn.Linear(sizes[0], n, bias=False) for n in sizes)

    def forward(self, x, mask=None):
        return x.to(torch.complex64), torch.empty(0)
