# The call ends, but looking at its answer does not.
#
# /// expect
# double = "timeout: it did not finish in time"
# softmax = "timeout: it did not finish in time"
# status = "timeout"
# patient = false
# ///

# %% double
class Error(Exception):
    def __str__(self):
        while True:
            pass


def double(x):
    raise Error


# %% softmax
class Answer:
    @property
    def __array__(self):
        while True:
            pass

    dtype = None


def softmax(scores, dim=-1):
    return Answer()
