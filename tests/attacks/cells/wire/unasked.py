# A cell speaks before anything is asked.
#
# /// expect
# double = "crashed: it sent what cannot be read"
# status = "crashed"
# ///

# %% double
import os, socket, threading, time
from autograder.remote import wire
line = socket.socket(fileno=os.dup(3))
def double(x):
    return 2 * x
def soon():
    time.sleep(0.1)
    line.sendall(wire.encode((1, {"status": "ok", "outputs": [], "error": None})) * 20)
threading.Thread(target=soon).start()
time.sleep(0.2)
