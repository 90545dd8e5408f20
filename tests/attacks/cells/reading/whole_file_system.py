# The whole file system is searched for the course, its gradebook and the other submissions.
#
# /// expect
# double = "failed"
# ///

# %% double
import os

wanted = ("gradebook.db", "manifest.json", "start_here.py", "targets.json", "canary", "secret")
found = [p for p in ("@COURSE@", "@HOME@", "@TMP@/canary") if os.path.exists(p)]
for folder, _, names in os.walk("/"):
    if "site-packages" not in folder and "/packages" not in folder:
        found += [os.path.join(folder, n) for n in names if n in wanted or n.endswith(".ipynb")]


def double(x):
    return 2 * x if found else x
