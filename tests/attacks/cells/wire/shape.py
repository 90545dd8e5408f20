# A tensor whose shape does not fit its numbers.
#
# /// expect
# double = "crashed: it sent what cannot be read"
# softmax = "crashed: it sent what cannot be read"
# status = "crashed"
# ///

# %% double
import os, socket
from autograder.remote import wire
line = socket.socket(fileno=os.dup(3))
def double(x):
    frame = wire.encode((-1, {"value": 2 * x, "inputs": {"0": x}}))
    line.sendall(frame.replace(b"[3,4]", b"[4,4]"))
    return 2 * x
# %% softmax
def softmax(scores, dim=-1):
    frame = wire.encode((-1, {"value": scores.T, "inputs": {}}))
    line.sendall(frame.replace(b"[7,5]", b"[7,9]"))
    return scores
