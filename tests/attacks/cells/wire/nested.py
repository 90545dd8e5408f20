# Frames in frames, trees too deep and trees too wide.
#
# /// expect
# double = "crashed: it sent what cannot be read"
# softmax = "failed"
# distance_scores = "crashed: it sent what cannot be read"
# status = "crashed"
# ///

# %% double
import json, os, socket
from autograder.remote import wire
line = socket.socket(fileno=os.dup(3))
def raw(header):
    line.sendall(wire.PREFIX.pack(len(header), 0) + header)
def double(x):
    raw(b'["l",' * 5000 + b"1" + b"]" * 5000)
    return 2 * x
# %% softmax
def softmax(scores, dim=-1):
    frame = wire.encode((-1, {"value": scores}))
    line.sendall(wire.encode((-1, {"value": frame, "inputs": {"0": frame}})))
    return scores
# %% distance_scores
def distance_scores(query, key):
    raw(json.dumps(["l"] + [1] * 200_000).encode())
    return query
