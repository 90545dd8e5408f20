# The answers of one exercise go on coming when the next one is asked.
#
# /// expect
# double = "failed"
# softmax = "failed"
# ///

# %% double
import os, socket
from autograder.remote import wire
line = socket.socket(fileno=os.dup(3))
def late(value):
    for number in range(1, 100):
        line.sendall(wire.encode((-number, {"value": value, "inputs": {}})))
def double(x):
    late(x)
    return x
# %% softmax
def softmax(scores, dim=-1):
    late(scores)
    return scores
