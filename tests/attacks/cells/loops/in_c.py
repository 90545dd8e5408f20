# A loop inside C, where Python never gets its turn.
#
# /// expect
# double = "timeout: it did not finish in time"
# status = "timeout"
# patient = false
# ///

# %% double
def double(x):
    return sum(range(10**15))
