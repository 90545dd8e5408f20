# The process stops itself, and waits for a signal that never comes.
#
# /// expect
# double = "timeout: it did not finish in time"
# status = "timeout"
# patient = false
# ///

# %% double
import os, signal


def double(x):
    os.kill(os.getpid(), signal.SIGSTOP)
    signal.pause()
    while True:
        signal.sigwait([])
