# Python's own tracing and profiling hooks change what runs after them.
#
# /// expect
# double = "failed"
# ///

# %% double
import sys, threading


def trace(frame, event, arg):
    for name in ("reference", "want", "expected"):
        if name in frame.f_locals:
            globals()["stolen"] = frame.f_locals[name]
    return trace


sys.settrace(trace)
sys.setprofile(lambda *a: None)
threading.settrace(trace)


def double(x):
    return globals().get("stolen", x)
