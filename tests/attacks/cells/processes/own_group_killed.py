# The process ends its own group, to take its parent and its neighbours along.
#
# /// expect
# double = "crashed"
# status = "crashed"
# ///

# %% double
import os, signal


def double(x):
    os.killpg(0, signal.SIGTERM)
    os.kill(os.getpid(), signal.SIGABRT)
    os._exit(9)
