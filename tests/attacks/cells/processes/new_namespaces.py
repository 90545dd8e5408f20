# Namespaces and mounts of its own, which would give power inside them.
#
# /// expect
# double = "failed"
# ///

# %% double
import ctypes

libc = ctypes.CDLL(None, use_errno=True)
done = [libc.unshare(flag) == 0 for flag in (0x10000000, 0x20000, 0x40000000, 0x20000000)]
done += [libc.setns(number, 0) == 0 for number in range(64)]
done.append(libc.mount(b"tmpfs", b"/tmp", b"tmpfs", 0, None) == 0)
done.append(libc.umount2(b"/proc", 2) == 0)
done.append(libc.chroot(b"/tmp") == 0)
done.append(libc.prctl(38, 0, 0, 0, 0) == 0)
done.append(libc.setuid(0) == 0)


def double(x):
    return 2 * x if any(done) else x
