# A frame that is shorter than it says, and swallows the one after it.
#
# /// expect
# double = "crashed: it sent what cannot be read"
# status = "crashed"
# ///

# %% double
import os, socket
from autograder.remote import wire
line = socket.socket(fileno=os.dup(3))
def double(x):
    line.sendall(wire.PREFIX.pack(100, 0) + b"[]")
    return 2 * x
