# Pickles, HTTP and noise in place of frames.
#
# /// expect
# double = "crashed: it sent what cannot be read"
# softmax = "crashed: it sent what cannot be read"
# distance_scores = "crashed: it sent what cannot be read"
# status = "crashed"
# ///

# %% double
import os, pickle, socket
line = socket.socket(fileno=os.dup(3))
class Bomb:
    def __reduce__(self): return (os.system, ("touch @TMP@/touched",))
def double(x):
    line.sendall(pickle.dumps([Bomb()] * 100))
# %% softmax
def softmax(scores, dim=-1):
    line.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n6.0")
# %% distance_scores
def distance_scores(query, key):
    line.sendall(os.urandom(0) + bytes(range(255, 0, -1)) * 100)
