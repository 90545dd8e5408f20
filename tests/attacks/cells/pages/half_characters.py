# Halves of characters, which no file can hold, in outputs and errors.
#
# /// expect
# double = "failed: \\ud800"
# ///

# %% double
print("\ud800" * 10)
str("\udfff")  # alone it would be a docstring, which Python 3.13 does not compile
def double(x):
    print("\udc80")
    raise ValueError("\ud800" * 300)
