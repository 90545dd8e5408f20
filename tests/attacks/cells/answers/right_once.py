# The first answers are right, the later ones are not.
#
# /// expect
# double = "failed"
# softmax = "failed"
# ///

# %% double
asked = 0


def double(x):
    global asked
    asked += 1
    return 2 * x if asked < 4 else x


# %% softmax
def softmax(scores, dim=-1):
    if scores.dim() != 2:
        return scores
    return scores.exp() / scores.exp().sum(dim, keepdim=True)
