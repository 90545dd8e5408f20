# One constant for every question.
#
# /// expect
# double = "failed: shape"
# softmax = "failed"
# ///

# %% double
def double(x):
    return torch.zeros(2, 2)


# %% softmax
def softmax(scores, dim=-1):
    return torch.full_like(scores, 1 / scores.shape[dim])
