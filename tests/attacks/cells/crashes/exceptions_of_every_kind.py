# Exceptions that end a program, and some that cannot even be shown.
#
# /// expect
# double = "failed: SystemExit"
# softmax = "failed: KeyboardInterrupt"
# distance_scores = "failed: GeneratorExit"
# LearnedPositions = "crashed: exit code"
# status = "crashed"
# ///

# %% exits
exit()
# %% quits
import sys

sys.exit(0)


# %% double
def double(x):
    raise SystemExit(0)


# %% softmax
def softmax(scores, dim=-1):
    raise KeyboardInterrupt


# %% distance_scores
def distance_scores(query, key):
    raise GeneratorExit


# %% LearnedPositions
class Shy(BaseException):
    def __str__(self):
        raise Shy

    __repr__ = __str__

    @property
    def __traceback__(self):
        raise Shy


def LearnedPositions(*sizes):
    raise Shy from Shy
