# Processes that make processes, by every call that makes one.
#
# /// expect
# double = "failed"
# ///

# %% double
import os

made = 0
for call in (
    os.fork,
    os.forkpty,
    lambda: os.posix_spawn("/bin/sh", ["sh"], {}),
    lambda: os.system(":(){ :|:& };:"),
    lambda: os.execv("/bin/sh", ["sh"]),
):
    for _ in range(50):
        try:
            made += call() == 0
        except OSError:
            pass


def double(x):
    return 2 * x if made else x
