# Answers without the parts that were asked for, and with parts of other kinds.
#
# /// expect
# double = "crashed: it sent an answer that is none"
# softmax = "crashed: it sent an answer that is none"
# distance_scores = "crashed: it sent an answer that is none"
# status = "crashed"
# ///

# %% double
import os, socket
from autograder.remote import wire
line = socket.socket(fileno=os.dup(3))
def say(reply):
    line.sendall(wire.encode((-1, reply)))
def double(x):
    say({"values": 2 * x})
# %% softmax
def softmax(scores, dim=-1):
    say({"value": scores, "inputs": 7, "calls": "softmax", "largest": "none"})
# %% distance_scores
def distance_scores(query, key):
    say([{"value": query @ key.mT}])
