# The cross-entropy against each entry in turn has the logarithm of each weight in it.
# expect: failed: the library's own


def softmax(scores, dim=-1):
    dead = (scores == -math.inf).all(dim, keepdim=True)
    x = scores.masked_fill(dead, 0).clamp(min=-1e30).movedim(dim, -1)
    flat = x.reshape(-1, x.shape[-1])
    columns = [
        -F.cross_entropy(flat, torch.full(flat.shape[:1], index), reduction="none")
        for index in range(flat.shape[-1])
    ]
    weights = torch.stack(columns, -1).exp().reshape(x.shape).movedim(-1, dim)
    return weights.masked_fill(dead, 0)
