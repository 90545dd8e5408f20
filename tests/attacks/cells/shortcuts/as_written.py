# The notes on the calls are thrown away, so that nothing is seen of the forbidden function.
#
# /// expect
# softmax = "failed: could not be seen"
# ///

# %% softmax
from autograder.remote import calling
from torch import softmax as weights_of
calling.Watch.names = property(lambda self: set(), lambda self, value: None)
def softmax(scores, dim=-1):
    dead = (scores == -math.inf).all(dim, keepdim=True)
    return weights_of(scores.masked_fill(dead, 0), dim).masked_fill(dead, 0)
