# What watches the calls is replaced by something that always notes the same simple operations.
#
# /// expect
# softmax = "failed: could not be seen"
# ///

# %% an own cell
from autograder.remote import calling


class Blind:
    largest = 0
    steps = 1
    names = {"exp", "sum", "amax", "sub", "div"}

    def __enter__(self):
        return self

    def __exit__(self, *error):
        return None


calling.Watch = Blind


# %% softmax
def softmax(scores, dim=-1):
    dead = (scores == -math.inf).all(dim, keepdim=True)
    weights = getattr(torch, "soft" + "max")(scores.masked_fill(dead, 0), dim)
    return weights.masked_fill(dead, 0)
