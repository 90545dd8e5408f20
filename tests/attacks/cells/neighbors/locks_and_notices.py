# Signs for an accomplice who is graded at the same time: locks, leases and notices on files that
# both can read.
#
# /// expect
# double = "failed"
# ///

# %% double
import ctypes, fcntl, os, struct

libc = ctypes.CDLL(None, use_errno=True)
one, other = open(os.__file__), open(os.__file__)
ways = []


def held(lock):
    lock(one)
    try:
        lock(other)
    except OSError:
        return True
    return False


def works(action):
    try:
        return action() not in (None, -1)
    except OSError:
        return False


whole = struct.pack("hhqqi4x", fcntl.F_RDLCK, 0, 0, 0, 0)
if held(lambda file: fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)):
    ways.append("flock")
if works(lambda: libc.inotify_init1(0)) or works(lambda: libc.inotify_init()):
    ways.append("inotify")
for command in (fcntl.F_SETLEASE, fcntl.F_NOTIFY, fcntl.F_SETOWN, 10, 1026):
    if works(lambda: fcntl.fcntl(one, command, fcntl.F_RDLCK)):
        ways.append(command)
if fcntl.fcntl(one, 37, whole) and struct.unpack_from("h", fcntl.fcntl(other, 36, whole))[0] == 2:
    ways.append("open file description")


def double(x):
    return 2 * x if ways else x
