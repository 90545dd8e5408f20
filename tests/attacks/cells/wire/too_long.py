# A frame that says it has a terabyte.
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
    line.sendall(wire.PREFIX.pack(10, 2**40))
    return 2 * x
