# Every signal to every process that there could be.
#
# /// expect
# double = "failed"
# ///

# %% double
import os, signal

reached = []
for process in [0, -1, *range(2, 3000), -os.getppid() or -2]:
    for number in (0, signal.SIGCONT, signal.SIGUSR1):
        if process in (0, -1) and number:
            continue
        try:
            os.kill(process, number)
            reached += [process] if process > 1 else []
        except OSError:
            pass
try:
    os.kill(-1, signal.SIGKILL)
    os.kill(-1, signal.SIGSTOP)
except OSError:
    pass


def double(x):
    return 2 * x if reached else x
