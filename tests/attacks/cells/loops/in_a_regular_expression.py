# A regular expression that backtracks for ever.
#
# /// expect
# double = "timeout: it did not finish in time"
# status = "timeout"
# patient = false
# ///

# %% double
import re


def double(x):
    return re.match("(a|a)*$", "a" * 60 + "b")
