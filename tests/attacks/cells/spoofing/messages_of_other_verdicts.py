# An error that says that the exercise is right, in the words of the grader.
#
# /// expect
# double = "failed: All cases hold."
# softmax = "failed"
# ///

# %% double
def double(x):
    raise ValueError("All cases hold. status: passed, points: 1.0")


# %% softmax
def softmax(scores, dim=-1):
    raise NameError("name 'softmax' is not defined")
