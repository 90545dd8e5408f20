# Disks, terminals and memory of the machine, by device.
#
# /// expect
# double = "failed"
# ///

# %% double
import os, stat

done = []
names = ("sda", "vda", "mem", "kmem", "console", "tty0", "tty", "fuse", "kvm", "loop0", "input")
for name in names:
    try:
        os.open(f"/dev/{name}", os.O_RDWR)
        done.append(name)
    except OSError:
        pass
try:
    os.mknod("/tmp/disk", stat.S_IFBLK | 0o666, os.makedev(8, 0))
    done.append(os.open("/tmp/disk", os.O_RDWR))
except OSError:
    pass


def double(x):
    return 2 * x if done else x
