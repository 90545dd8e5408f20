# Characters that turn the direction of text, so that a page says another thing than it holds.
#
# /// expect
# double = "failed: \\u202e"
# ///

# %% double
def double(x):
    raise ValueError("\u202epassed\u2066\u200f\u061c 100 of 100\u2069\u2028new line\x85")
