# The crash waits until everything was asked: in exit handlers, finalizers and globals.
#
# /// expect
# ///

# %% late
import atexit, ctypes, os, weakref


class Late:
    def __del__(self):
        os.abort()


late, table = Late(), {}
atexit.register(os.abort)
weakref.finalize(late, os.abort)
