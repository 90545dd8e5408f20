# Halves of characters, which no file can hold, in outputs and errors.
#
# /// expect
# double = "failed: \\ud800"
# ///

# %% double
print("\ud800" * 10)
"\udfff"
def double(x):
    print("\udc80")
    raise ValueError("\ud800" * 300)
