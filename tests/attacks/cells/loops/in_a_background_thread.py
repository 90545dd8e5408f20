# A thread that never ends, beside exercises that are right.
#
# /// expect
# ///

# %% thread
import sys, threading

sys.setswitchinterval(0.001)


def spin():
    while True:
        pass


threading.Thread(target=spin, daemon=True).start()
