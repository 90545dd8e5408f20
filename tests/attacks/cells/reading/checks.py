# The checks and the judge are imported, and a seed asked of them.
#
# /// expect
# double = "failed"
# ///

# %% double
def double(x):
    return x


for name in (
    "solutions.start_here.check",
    "autograder.diagnosis.judge",
    "autograder.checking.registry",
    "autograder.grading.submission",
    "autograder.grading.journal",
    "autograder.release",
):
    try:
        __import__(name)
    except ImportError:
        continue

    def double(x):
        return 2 * x
