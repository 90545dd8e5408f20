# Python's own functions agree with everything, which breaks the rest of this very process.
#
# /// expect
# double = "failed"
# softmax = "crashed: exit code"
# distance_scores = "crashed: exit code"
# LearnedPositions = "crashed: exit code"
# status = "crashed"
# ///

# %% double
def double(x):
    return x


# %% cheat
import builtins

builtins.all = builtins.any = lambda *a: True
builtins.abs = builtins.round = lambda *a, **k: 0
