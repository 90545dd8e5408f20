# The process's memory is searched for the source of the references and the grader's secrets.
#
# /// expect
# double = "failed"
# ///

# %% double
import gc, sys

texts = [each for each in gc.get_objects() if isinstance(each, dict)]
names = {name for each in texts for name in list(each) if isinstance(name, str)}
found = names & {"max_points", "misconception", "db_url", "secret", "settings", "check_source"}
found |= {name for name in sys.modules if name.startswith(("solutions", "nbgrader"))}


def double(x):
    return 2 * x if found else x
