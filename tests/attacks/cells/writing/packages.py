# Torch, Python and the course's own modules are overwritten, or given something to import first.
#
# /// expect
# double = "failed"
# ///

# %% double
import os, site, sys, torch

done = []
places = [torch.__file__, sys.executable, os.__file__, *sys.path, *site.getsitepackages()]
for place in places:
    for path in (place, f"{place}/sitecustomize.py", f"{place}/evil.pth", f"{place}/torch.py"):
        try:
            open(path, "a").write("raise SystemExit\n")
            done.append(path)
        except OSError:
            pass


def double(x):
    return 2 * x if done else x
