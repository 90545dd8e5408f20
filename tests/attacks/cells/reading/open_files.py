# Every open file is read: the only one that answers is the process's own connection.
#
# /// expect
# double = "failed"
# ///

# %% double
import fcntl, os

found = b""
for number in range(1024):
    try:
        if number != 3:
            fcntl.fcntl(number, fcntl.F_SETFL, os.O_NONBLOCK)
            found += os.read(number, 10_000)
    except OSError:
        continue


def double(x):
    return 2 * x if found else x
