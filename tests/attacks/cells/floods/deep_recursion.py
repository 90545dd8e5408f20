# Recursion without end: in Python, in a repr, in C.
#
# /// expect
# double = "failed: RecursionError"
# softmax = "failed: RecursionError"
# ///

# %% deep
class Deep:
    def __repr__(self):
        return repr(self)


Deep()


# %% double
def double(x):
    return double(x)


# %% softmax
import sys


def softmax(scores, dim=-1):
    sys.setrecursionlimit(3000)
    made = []
    for _ in range(100_000):
        made = [made]
    return repr(made)
