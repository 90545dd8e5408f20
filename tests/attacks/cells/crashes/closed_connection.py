# The connection is closed, or led elsewhere.
#
# /// expect
# double = "crashed: closed its connection"
# softmax = "crashed: exit code"
# status = "crashed"
# patient = false
# ///

# %% double
import os, time


def double(x):
    os.closerange(0, 1024)
    while True:
        pass


# %% softmax
def softmax(scores, dim=-1):
    os.dup2(os.open("/dev/null", os.O_RDWR), 3)
    return scores
