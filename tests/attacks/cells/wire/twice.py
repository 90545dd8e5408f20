# Each answer is sent twice: the second one is not an answer to the next question.
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
    line.sendall(wire.encode((-1, {"value": 2 * x, "inputs": {"0": x}})))
    return 2 * x
