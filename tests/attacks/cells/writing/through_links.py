# Links out of the scratch folder, and names with dots.
#
# /// expect
# double = "failed"
# ///

# %% double
import os

done = []
os.symlink("@HOME@/canary", "/tmp/link") if os.path.isdir("/tmp") else None
for path in ("/tmp/link", "../../@HOME@/canary", "/tmp/../@TMP@/canary", "./../canary"):
    try:
        open(path, "r+").write("mine")
        done.append(path)
    except OSError:
        pass


def double(x):
    return 2 * x if done else x
