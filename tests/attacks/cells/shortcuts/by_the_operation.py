# The operation underneath, straight from torch's dispatcher.
#
# /// expect
# softmax = "failed: the library's own softmax"
# ///

# %% softmax
name = "_soft" + "max"
def softmax(scores, dim=-1):
    dead = (scores == -math.inf).all(dim, keepdim=True)
    weights = getattr(torch.ops.aten, name).default(scores.masked_fill(dead, 0), dim, False)
    return weights.masked_fill(dead, 0)
