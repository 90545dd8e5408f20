# As many threads as there can be, and then each as busy as it can be.
#
# /// expect
# double = "failed"
# ///

# %% double
import threading, time

threading.stack_size(65536)
full, threads = threading.Event(), []


def busy():
    full.wait()
    end = time.monotonic() + 0.3
    while time.monotonic() < end:
        pass


try:
    while len(threads) < 1000:
        threads.append(threading.Thread(target=busy, daemon=True))
        threads[-1].start()
except RuntimeError:
    full.set()


def double(x):
    return x if full.is_set() else 2 * x
