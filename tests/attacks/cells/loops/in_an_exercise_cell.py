# The cell of an exercise never ends.
#
# /// expect
# double = "timeout: it did not finish in time"
# status = "timeout"
# patient = false
# ///

# %% double
def double(x):
    return 2 * x


while True:
    pass
