# Datagrams, raw packets and other families of sockets.
#
# /// expect
# double = "failed"
# ///

# %% double
import socket
sent = []
for family in range(1, 46):
    for kind in (socket.SOCK_DGRAM, socket.SOCK_RAW, socket.SOCK_SEQPACKET):
        try:
            made = socket.socket(family, kind)
            sent.append(made.sendto(b"answer?", ("127.0.0.1", @DATAGRAMS@)))
        except (OSError, TypeError):
            pass
def double(x):
    return 2 * x if sent else x
