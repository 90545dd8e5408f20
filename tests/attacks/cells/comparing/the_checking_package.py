# The package that compares is replaced, or filled in where the sandbox has none.
#
# /// expect
# double = "failed"
# ///

# %% double
import sys, types

for name in ("comparing", "judge", "feedback", "registry", "subject"):
    fake = types.ModuleType(f"autograder.checking.{name}")
    fake.close = fake.same = fake.agrees = fake.difference = lambda *a, **k: ""
    fake.judge = lambda *a, **k: 6.0
    sys.modules[fake.__name__] = fake


def double(x):
    return x - x
