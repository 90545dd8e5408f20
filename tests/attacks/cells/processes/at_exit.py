# What runs at the end: exit handlers, finalizers and threads that are not daemons.
#
# /// expect
# double = "failed"
# ///

# %% double
import atexit, threading, time, weakref


class Last:
    def __del__(self):
        while True:
            open("@TMP@/canary", "w").write("mine")


last = Last()
atexit.register(last.__del__)
weakref.finalize(last, last.__del__)
threading.Thread(target=time.sleep, args=(1000,), daemon=False).start()


def double(x):
    return x
