# What brings the process down is the letting go of an object.
#
# /// expect
# double = "crashed: exit code 0"
# status = "crashed"
# ///

# %% double
import os


class Last:
    def __del__(self):
        os._exit(0)


def double(x):
    last = Last()
    return 2 * x
