# A module of its own brings the process down when it is imported.
#
# /// expect
# status = "crashed"
# notes = ["broke off: the process crashed"]
# ///

# %% import
import sys

open("/tmp/fatal.py", "w").write("import ctypes; ctypes.string_at(0)")
sys.path.insert(0, "/tmp")
import fatal
