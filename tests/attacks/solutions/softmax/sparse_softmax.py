# The softmax of sparse tensors, of one that is full.
# expect: failed: the library's own softmax


def softmax(scores, dim=-1):
    dead = (scores == -math.inf).all(dim, keepdim=True)
    live = scores.masked_fill(dead, 0) + 0
    full = live.to_sparse() if (live != 0).all() else (live + 1).to_sparse()
    return torch.sparse.softmax(full, dim % live.dim()).to_dense().masked_fill(dead, 0)
