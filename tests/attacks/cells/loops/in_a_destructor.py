# The call ends, but letting go of what it made does not.
#
# /// expect
# double = "timeout: it did not finish in time"
# status = "timeout"
# patient = false
# ///

# %% double
class Sticky:
    def __del__(self):
        while True:
            pass


def double(x):
    sticky = Sticky()
    return 2 * x
