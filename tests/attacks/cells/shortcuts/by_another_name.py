# The forbidden function under another name, made in another cell.
#
# /// expect
# softmax = "failed: the library's own softmax"
# ///

# %% helper
weights_of = torch.softmax
# %% softmax
def softmax(scores, dim=-1):
    dead = (scores == -math.inf).all(dim, keepdim=True)
    return weights_of(scores.masked_fill(dead, 0), dim=dim).masked_fill(dead, 0)
