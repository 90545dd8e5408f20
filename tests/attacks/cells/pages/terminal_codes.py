# Codes that color, move and rename a terminal, in everything that is printed or raised.
#
# /// expect
# double = "failed: \\u001b"
# ///

# %% printed
print("\x1b[2J\x1b[31mgone\x1b]0;title\x07\x1b[8m\x9b31m\r full marks \b\b\x00")
raise ValueError("\x1b[2J")
# %% double
def double(x):
    raise ValueError("\x1b[2J\x1b]8;;http://a.b\x07full marks\x1b[8m\r\x00")
