# Everything that /proc could tell of this and of other processes.
#
# /// expect
# double = "failed"
# ///

# %% double
import os

found = []
for name in ("environ", "cmdline", "maps", "mem", "fd", "root", "cwd", "stack", "task"):
    for process in ("self", "1", "2", str(os.getppid()), str(os.getpid()), "thread-self"):
        path = f"/proc/{process}/{name}"
        if os.path.lexists(path):
            found.append(path)
found += os.listdir("/proc") + [p for p in ("/proc/kcore", "/proc/net") if os.path.exists(p)]


def double(x):
    return 2 * x if found else x
