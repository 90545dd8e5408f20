# The forbidden function, by a name that is put together when it runs.
#
# /// expect
# softmax = "failed: the library's own softmax"
# ///

# %% softmax
def softmax(scores, dim=-1):
    dead = (scores == -math.inf).all(dim, keepdim=True)
    weights = getattr(torch, "soft" + "max")(scores.masked_fill(dead, 0), dim)
    return weights.masked_fill(dead, 0)
