# The process ends in the middle of the questions, after right answers.
#
# /// expect
# double = "crashed: exit code 0"
# status = "crashed"
# ///

# %% double
import os

asked = 0


def double(x):
    global asked
    asked += 1
    if asked > 5:
        os._exit(0)
    return 2 * x
