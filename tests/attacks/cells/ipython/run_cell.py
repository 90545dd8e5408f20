# IPython's ways to run a cell are replaced by one that reports success.
#
# /// expect
# double = "failed"
# softmax = "missing"
# distance_scores = "missing"
# LearnedPositions = "missing"
# ///

# %% double
from IPython import get_ipython


def double(x):
    return x


class Fine:
    success, result, error_before_exec, error_in_exec = True, 6.0, None, None


def run(*a, **k):
    return Fine()


for name in ("run_cell", "run_cell_async", "run_code", "run_ast_nodes", "_run_cell"):
    setattr(type(get_ipython()), name, run)
    setattr(get_ipython(), name, run)
