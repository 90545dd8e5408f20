# Each exercise and each cell between brings the process down; the right one in the middle passes.
#
# /// expect
# double = "crashed"
# softmax = "crashed"
# LearnedPositions = "crashed"
# status = "crashed"
# notes = ["`import os` broke off: the process ended itself with exit code 1", "broke off: the process ended itself with exit code 2"]
# ///

# %% a
import os

os._exit(1)
# %% b
os.abort() if "os" in dir() else __import__("os").abort()
# %% double
import os


def double(x):
    os._exit(1)


# %% c
__import__("os")._exit(2)


# %% softmax
def softmax(scores, dim=-1):
    os._exit(1)


# %% LearnedPositions
def LearnedPositions(*sizes):
    os._exit(1)
