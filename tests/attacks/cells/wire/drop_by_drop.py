# A frame that comes a byte at a time, for ever.
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
    line.sendall(wire.PREFIX.pack(10, 2**20))
    while True:
        line.sendall(b" ")
        time.sleep(0.05)
