# Sleep past the limit, in the call and in a wait for nothing.
#
# /// expect
# double = "timeout: it did not finish in time"
# softmax = "timeout: it did not finish in time"
# status = "timeout"
# patient = false
# ///

# %% double
import threading, time


def double(x):
    time.sleep(10_000)


# %% softmax
def softmax(scores, dim=-1):
    threading.Event().wait()
