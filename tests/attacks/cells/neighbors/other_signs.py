# Signs by futexes in a shared file's pages, by what lies in the page cache, by barriers on all
# cores, by choosing the neighbor's core.
#
# /// expect
# double = "failed"
# ///

# %% double
import ctypes, mmap, os, platform

libc = ctypes.CDLL(None, use_errno=True)
libc.mincore.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p]
numbers = {"x86_64": (202, 324, 327), "aarch64": (98, 283, 286)}[platform.machine()]
FUTEX, MEMBARRIER, PREADV2 = numbers
address = ctypes.cast(libc.printf, ctypes.c_void_p).value & ~4095
pages = (ctypes.c_ubyte * 16)()
ways = []
for wake in (1, 3, 5, 10):
    if libc.syscall(FUTEX, ctypes.c_void_p(address), wake, 1, 0, ctypes.c_void_p(address), 0) >= 0:
        ways.append("futex")
if libc.mincore(address, 4096, pages) == 0:
    ways.append("mincore")
if libc.syscall(MEMBARRIER, 1, 0, 0) == 0:
    ways.append("membarrier")
if libc.syscall(PREADV2, 0, 0, 0, 0, 0, 8) == 0:
    ways.append("preadv2")
try:
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    ways.append("core")
except OSError:
    pass


def double(x):
    return 2 * x if ways else x
