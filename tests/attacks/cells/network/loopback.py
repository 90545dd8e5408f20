# A server of the machine's, on the loopback device.
#
# /// expect
# double = "failed"
# ///

# %% double
import socket
reached = []
for host in ("127.0.0.1", "localhost", "::1", "0.0.0.0", "::ffff:127.0.0.1"):
    try:
        reached.append(socket.create_connection((host, @PORT@), timeout=1))
    except OSError:
        pass
def double(x):
    return 2 * x if reached else x
