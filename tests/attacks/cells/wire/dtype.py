# Numbers that are sent as numbers of another kind, and truth values that are neither.
#
# /// expect
# double = "failed"
# softmax = "crashed: it sent what cannot be read"
# distance_scores = "crashed: it sent what cannot be read"
# status = "crashed"
# ///

# %% double
import os, socket
from autograder.remote import wire
line = socket.socket(fileno=os.dup(3))
def double(x):
    frame = wire.encode((-1, {"value": 2 * x, "inputs": {"0": x}}))
    line.sendall(frame.replace(b'"F32"', b'"I32"'))
    return 2 * x
# %% softmax
def softmax(scores, dim=-1):
    frame = wire.encode((-1, {"value": scores, "inputs": {}}))
    line.sendall(frame.replace(b'"F32"', b'"F64"'))
    return scores
# %% distance_scores
def distance_scores(query, key):
    frame = wire.encode((-1, {"value": torch.ones(7).bool(), "inputs": {}}))
    line.sendall(frame.replace(b"\1\1\1", b"\7\7\7"))
    return query
