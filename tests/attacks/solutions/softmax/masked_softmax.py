# The operation under masked softmax, with a mask that hides nothing.
# expect: failed: the library's own softmax


def softmax(scores, dim=-1):
    dead = (scores == -math.inf).all(dim, keepdim=True)
    live = scores.masked_fill(dead, 0)
    nothing = torch.zeros_like(live, dtype=torch.bool)
    return torch._masked_softmax(live, nothing, dim, 2).masked_fill(dead, 0)
