# Sockets of the machine's that have names: abstract ones and one in a folder.
#
# /// expect
# double = "failed"
# ///

# %% double
import socket

reached = []
for address in ("\0@ABSTRACT@", "@DOOR@", "/run/docker.sock", "/var/run/dbus/system_bus_socket"):
    for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_SEQPACKET):
        try:
            door = socket.socket(socket.AF_UNIX, kind)
            door.connect(address)
            reached.append(door)
        except OSError:
            pass


def double(x):
    return 2 * x if reached else x
