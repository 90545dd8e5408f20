# The checks and the judge are imported, and a seed asked of them.
#
# /// expect
# double = "failed"
# ///

# %% double
def double(x):
    return x


for name in (
    "exercises.start_here",
    "exercises",
    "checking.judge",
    "checking.registry",
    "grading.submission",
    "grading.journal",
    "release",
):
    try:
        __import__(f"autograder.{name}")
    except ImportError:
        continue

    def double(x):
        return 2 * x
