# The namespace is exchanged for one that makes up whatever is asked for.
#
# /// expect
# double = "missing|failed"
# softmax = "missing|failed"
# distance_scores = "missing|failed"
# LearnedPositions = "missing|failed"
# notes = ["has no attribute"]
# ///

# %% double
class Any(dict):
    def __contains__(self, name):
        return True

    def __missing__(self, name):
        return lambda *a, **k: 6.0


shell = get_ipython()
shell.user_ns = shell.user_global_ns = Any()
shell.user_module.__dict__.clear()
