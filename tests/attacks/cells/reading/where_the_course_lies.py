# The path of the course on the grader's machine, from what an editable installation leaves behind.
#
# /// expect
# double = "failed"
# ///

# %% double
import os, sys

told = []
for folder in sys.path:
    for name in os.listdir(folder) if os.path.isdir(folder) else ():
        path = os.path.join(folder, name)
        if name.endswith((".pth", ".egg-link")) or name.startswith("__editable__"):
            told.append(open(path).read())
        if name.endswith(".dist-info") and os.path.exists(f"{path}/direct_url.json"):
            told.append(open(f"{path}/direct_url.json").read())


def double(x):
    return 2 * x if "/" in "".join(told) else x
