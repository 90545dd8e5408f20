# A timer goes off while the grader's questions are answered.
#
# /// expect
# double = "passed"
# ///

# %% timer
import signal


def late(*a):
    globals()["double"] = lambda x: x
    raise TimeoutError("too late")


signal.signal(signal.SIGALRM, signal.SIG_IGN)
signal.setitimer(signal.ITIMER_REAL, 0.001, 0.001)
for number in range(1, 65):
    try:
        signal.signal(number, signal.SIG_IGN)
    except (OSError, ValueError):
        pass
