# The references are imported, or read from wherever a course might lie.
#
# /// expect
# double = "failed"
# ///

# %% double
import importlib, os, sys


def double(x):
    return x


for name in ("solutions.start_here", "solutions", "solutions.start_here.reference"):
    try:
        double = importlib.import_module(name).double
    except (ImportError, AttributeError):
        pass
for folder in [*sys.path, "@COURSE@", "@HOME@", "/", os.getcwd()]:
    path = os.path.join(folder, "solutions", "start_here", "reference.py")
    if os.path.exists(path):
        exec(open(path).read())
