# Every exercise never ends, and every cell that was put in neither.
#
# /// expect
# double = "timeout"
# softmax = "timeout"
# distance_scores = "timeout"
# LearnedPositions = "timeout"
# status = "timeout"
# patient = false
# ///

# %% double
def double(x):
    while True:
        pass


# %% softmax
def softmax(scores, dim=-1):
    while True:
        pass


# %% distance_scores
def distance_scores(query, key):
    while True:
        pass


# %% LearnedPositions
class LearnedPositions(nn.Module):
    def __init__(self, *sizes):
        while True:
            pass
