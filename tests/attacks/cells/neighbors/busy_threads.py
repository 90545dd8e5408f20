# Many threads, busy until the end: the neighbor's time is measured by a clock
# on the wall.
#
# /// expect
# double = "timeout"
# status = "timeout"
# patient = false
# ///

# %% double
import threading, torch

big = torch.ones(200, 200)


def busy():
    while True:
        big @ big


def double(x):
    threading.stack_size(2**18)
    try:
        for _ in range(8):
            threading.Thread(target=busy, daemon=True).start()
    except RuntimeError:
        pass
    while True:  # what the threads took may leave no room for one more product
        pass
