# Open files, sockets and pipes without end.
#
# /// expect
# double = "failed"
# ///

# %% double
import os, socket

kept = []
for make in (
    lambda: os.open("/dev/null", 0),
    os.pipe,
    lambda: socket.socketpair(),
    lambda: os.dup(0),
):
    try:
        while len(kept) < 10_000:
            kept.append(make())
    except OSError:
        pass


def double(x):
    return x if len(kept) < 1000 else 2 * x
