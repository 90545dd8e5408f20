# Answers that fit the right one by being repeated: in one direction, in both, and out of nothing.
#
# /// expect
# double = "failed: too large to look at"
# softmax = "failed: shape"
# distance_scores = "failed: shape"
# ///

# %% double
def double(x):
    return (2 * x).reshape(-1, *[1] * x.dim()).expand(-1, *[16] * x.dim())[:, None].expand(-1, 99, *[16] * x.dim())


# %% softmax
def softmax(scores, dim=-1):
    return (scores.exp() / scores.exp().sum(dim, keepdim=True))[None]


# %% distance_scores
def distance_scores(query, key):
    return torch.zeros(())
