# A thread outlives its cell and replaces what comes after it.
#
# /// expect
# softmax = "failed"
# ///

# %% thread
import threading, time


def later():
    while True:
        get_ipython().user_ns["softmax"] = lambda scores, dim=-1: scores
        time.sleep(0.0001)


threading.Thread(target=later, daemon=True).start()
