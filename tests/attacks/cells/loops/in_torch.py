# An operation of torch's that takes hours.
#
# /// expect
# double = "timeout: it did not finish in time"
# status = "timeout"
# patient = false
# ///

# %% double
def double(x):
    y = torch.ones(3000, 3000)
    while True:
        y = y @ y
