# The process never reads what it is asked, so that asking takes for ever.
#
# /// expect
# double = "timeout: it did not finish in time"
# status = "timeout"
# patient = false
# ///

# %% double
import os, signal
def double(x):
    signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65))
    signal.sigwait({signal.SIGUSR1})
