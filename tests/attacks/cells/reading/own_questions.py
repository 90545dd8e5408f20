# The process reads ahead what the grader asks next: questions are there, answers are not.
#
# /// expect
# double = "crashed"
# status = "crashed"
# ///

# %% double
import socket

line = socket.socket(fileno=3)


def double(x):
    line.setblocking(False)
    data = b""
    try:
        while piece := line.recv(2**20):
            data += piece
    except BlockingIOError:
        pass
    line.sendall(b"\0" * 12 + data[:100])
    return x
