"""`check("softmax")` in a notebook."""

import contextlib
import io
import sys
import warnings
from collections.abc import Callable
from typing import Any

from autograder.checking.calling import Home
from autograder.checking.feedback import Feedback
from autograder.checking.judge import Verdict, judge
from autograder.checking.recording import reference_for
from autograder.checking.registry import find
from autograder.checking.unwritten import explain_unwritten

PRINTED_AT_MOST = 1000

observers: list[Callable[[Verdict], None]] = []


def check(name: str) -> float:
    """Check your solution of the exercise `name`, show what was found, return the points earned."""
    namespace = sys._getframe(1).f_globals
    if not isinstance(name, str):
        text = 'Give the name of the exercise in quotes, as in check("softmax").'
        return _show(Feedback(Verdict("check", 0.0, 0.0, "failed", message=text)))
    try:
        task = find(name)
    except KeyError as error:
        return _show(Feedback(Verdict(name, 0.0, 0.0, "failed", message=error.args[0])))
    if name not in namespace:
        text = f"{name} is not defined: run the cell of the exercise first."
        return _show(Feedback(Verdict(name, 0.0, task.points, "failed", message=text)))
    printed = io.StringIO()
    with _quiet(printed):
        try:
            verdict = judge(name, Home(namespace), reference_for(task))
        except Exception as error:
            text = f"The check itself failed ({type(error).__name__}: {error})."
            verdict = Verdict(name, 0.0, task.points, "failed", message=text)
    said = printed.getvalue()
    if len(said) > PRINTED_AT_MOST:
        said = said[:PRINTED_AT_MOST] + "\n..."
    return _show(Feedback(verdict, "" if verdict.passed else said))


@contextlib.contextmanager
def _quiet(stream: io.StringIO) -> Any:
    # nbgrader gives zero points to a check cell that writes to stderr, even a warning.
    with (
        contextlib.redirect_stdout(stream),
        contextlib.redirect_stderr(stream),
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("ignore")
        yield


def _show(feedback: Feedback) -> float:
    for observe in observers:
        observe(feedback.verdict)
    if "IPython" in sys.modules and sys.modules["IPython"].get_ipython() is not None:
        from IPython.display import display

        display(feedback)
    else:
        print(feedback.text())
    return float(feedback.verdict.points)


if "IPython" in sys.modules and (_shell := sys.modules["IPython"].get_ipython()) is not None:
    explain_unwritten(_shell)
