# Files of the teacher's are written, replaced, linked and removed by their full names.
#
# /// expect
# double = "failed"
# ///

# %% double
import os, shutil

done = []
for place in ("@HOME@", "@TMP@", "@COURSE@", "@COURSE@/submitted", "/root", "/var/tmp", "/dev/shm"):
    for action in (
        lambda: open(f"{place}/canary", "w").write("mine"),
        lambda: os.rename(f"{place}/canary", f"{place}/mine"),
        lambda: os.link(f"{place}/canary", "/tmp/mine"),
        lambda: shutil.rmtree(place),
        lambda: os.mkdir(f"{place}/mine"),
        lambda: os.symlink("/", f"{place}/mine"),
        lambda: os.chmod(place, 0o777),
        lambda: os.utime(place),
    ):
        try:
            action()
            done.append(place)
        except OSError:
            pass


def double(x):
    return 2 * x if done else x
