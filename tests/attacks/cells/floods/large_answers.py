# Answers too large, too deep and too many to be sent.
#
# /// expect
# double = "failed: over"
# softmax = "failed: deep"
# distance_scores = "failed: bits"
# LearnedPositions = "failed: parts"
# ///

# %% double
def double(x):
    return torch.zeros(1).expand(2**40)[: 2**26 + 1]


# %% softmax
def softmax(scores, dim=-1):
    made = []
    for _ in range(900):
        made = [made]
    return made


# %% distance_scores
def distance_scores(query, key):
    return 1 << 100_000


# %% LearnedPositions
def LearnedPositions(*sizes):
    return [0] * 200_000
