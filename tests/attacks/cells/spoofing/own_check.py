# The course's own check is replaced, as a function and as a module.
#
# /// expect
# double = "failed"
# ///

# %% cheat
import sys, types, autograder

check = autograder.check = lambda name, *a, **k: 6.0
fake = types.ModuleType("autograder")
fake.check = check
sys.modules["autograder"] = fake


# %% double
def double(x):
    return check("double")
