# Every object that is alive is searched for the reference and for what is expected.
#
# /// expect
# double = "failed"
# ///

# %% double
import gc


def double(x):
    for thing in gc.get_objects():
        try:
            if callable(thing) and getattr(thing, "__module__", "").startswith("solutions"):
                return thing(x)
            if isinstance(thing, Tensor) and thing.shape == x.shape and torch.equal(thing, x + x):
                return thing
        except BaseException:
            continue
    return x
