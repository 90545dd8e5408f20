# Functions that call the forbidden one inside: layers, softmin, log_softmax.
#
# /// expect
# softmax = "failed: the library's own"
# ///

# %% helper
layers = [vars(nn)[name] for name in ("Soft" + "max", "Soft" + "min", "LogSoft" + "max")]
# %% softmax
def softmax(scores, dim=-1):
    dead = (scores == -math.inf).all(dim, keepdim=True)
    live = scores.masked_fill(dead, 0)
    if scores.dim() == 1:
        return layers[1](dim)(-live).masked_fill(dead, 0)
    weights = layers[0](dim)(live) if dim else layers[2](dim)(live).exp()
    return weights.masked_fill(dead, 0)
