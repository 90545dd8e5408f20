# What came in is handed back, as it is or changed in place.
#
# /// expect
# double = "failed"
# softmax = "failed"
# distance_scores = "failed: changes its input"
# ///

# %% double
def double(x):
    return x


# %% softmax
def softmax(scores, dim=-1):
    return scores.mul_(0).add_(1 / scores.shape[dim])


# %% distance_scores
def distance_scores(query, key):
    right = -(torch.cdist(query, key) ** 2)
    query.zero_()
    return right
