# Answers to later questions come before they are asked.
#
# /// expect
# double = "crashed: another question"
# status = "crashed"
# ///

# %% double
import os, socket
from autograder.remote import wire
line = socket.socket(fileno=os.dup(3))
def double(x):
    for number in (-4, -3, -2, -1, 0, 1, 2**70, "1", None):
        line.sendall(wire.encode((number, {"value": x})))
    return 2 * x
