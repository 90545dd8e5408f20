# Half a frame, and then silence.
#
# /// expect
# double = "timeout: it did not finish in time"
# status = "timeout"
# patient = false
# ///

# %% double
import os, socket, time
from autograder.remote import wire
line = socket.socket(fileno=os.dup(3))
def double(x):
    line.sendall(wire.encode((-1, {"value": 2 * x}))[:-3])
    time.sleep(1000)
