# The frames above a call are searched for the reference, the expected answer and the seed.
#
# /// expect
# double = "failed"
# ///

# %% double
import sys


def double(x):
    frame = sys._getframe(1)
    while frame:
        for name, thing in list(frame.f_locals.items()):
            if name in ("reference", "want", "expected", "draw", "seed"):
                return thing(x) if callable(thing) else thing
            if isinstance(thing, Tensor) and thing.shape == x.shape and torch.equal(thing, x + x):
                return thing
        frame = frame.f_back
    return x
