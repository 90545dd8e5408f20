# The environment and the command line are searched for the course and the seed.
#
# /// expect
# double = "failed"
# ///

# %% double
import os, sys

telling = [v for v in [*os.environ.values(), *sys.argv] if "@HOME@" in v or "@COURSE@" in v]
telling += [name for name in os.environ if "SEED" in name and name != "PYTHONHASHSEED"]


def double(x):
    return 2 * x if telling else x
