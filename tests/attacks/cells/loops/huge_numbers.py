# Arithmetic that takes for ever.
#
# /// expect
# double = "timeout: it did not finish in time"
# status = "timeout"
# patient = false
# ///

# %% double
def double(x):
    return 3 ** (10**9) % 7
