# NaN and infinity, which compare in ways of their own.
#
# /// expect
# double = "failed: expected"
# softmax = "failed: expected"
# distance_scores = "failed: expected"
# ///

# %% double
def double(x):
    return x * math.nan


# %% softmax
def softmax(scores, dim=-1):
    return scores * math.nan


# %% distance_scores
def distance_scores(query, key):
    return query @ key.mT * math.inf
