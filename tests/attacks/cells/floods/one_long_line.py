# One line of 50 MB, on both streams, as a result and as an exception.
#
# /// expect
# double = "failed: ValueError"
# ///

# %% line
import sys

print("x" * 50_000_000)
sys.stderr.write("y" * 20_000_000)
"z" * 5_000_000


# %% double
def double(x):
    raise ValueError("v" * 20_000_000)
