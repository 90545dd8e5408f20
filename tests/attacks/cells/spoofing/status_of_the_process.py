# The exit codes and signals by which a grader might tell success.
#
# /// expect
# double = "crashed: exit code 0"
# status = "crashed"
# ///

# %% double
import os, sys


def double(x):
    print("OK")
    sys.stdout.flush()
    os._exit(0)
