"""`check("softmax")` in a notebook."""

import contextlib
import io
import re
import sys
import warnings
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from autograder.checking.calling import Home
from autograder.checking.cell_log import CellLog
from autograder.checking.feedback import Feedback
from autograder.checking.judge import judge
from autograder.checking.packages import note_on_imports
from autograder.checking.recording import reference_for
from autograder.checking.registry import find
from autograder.checking.unwritten import explain_unwritten
from autograder.checking.verdict import Verdict

PRINTED_AT_MOST = 1000
NOT_DEFINED = re.compile(r"NameError: name '(\w+)' is not defined")

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
    if (log := _log_of(namespace)) is not None:
        obstacle = log.obstacle(name)
    else:
        missing = f"{name} is not defined: run the cell of the exercise first."
        obstacle = missing if name not in namespace else None
    if obstacle:
        return _show(Feedback(Verdict(name, 0.0, task.points, "failed", message=obstacle)))
    printed = io.StringIO()
    with _quiet(printed):
        try:
            verdict = judge(name, Home(namespace), reference_for(task))
        except Exception as error:
            text = f"The check itself failed ({type(error).__name__}: {error})."
            verdict = Verdict(name, 0.0, task.points, "failed", message=text)
    if log is not None and (lacking := NOT_DEFINED.search(verdict.message)):
        reason = log.reason_for_missing(lacking[1])
        verdict = replace(verdict, message=f"{verdict.message} {reason}") if reason else verdict
    output = printed.getvalue()
    if len(output) > PRINTED_AT_MOST:
        output = output[:PRINTED_AT_MOST] + "\n..."
    note = note_on_imports(log.imports()) if log is not None else ""
    return _show(Feedback(verdict, "" if verdict.passed else output, note))


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
    display(feedback)
    return float(feedback.verdict.points)


def display(card: Any) -> None:
    """Show what has a `text()` in the notebook, or print it."""
    if "IPython" in sys.modules and sys.modules["IPython"].get_ipython() is not None:
        from IPython.display import display as show

        show(card)
    else:
        print(card.text())


_logs: dict[int, CellLog] = {}


def attend(shell: Any) -> CellLog:
    """Make an IPython shell remember what its cells did, and explain what is not written yet."""
    if id(shell) not in _logs:
        explain_unwritten(shell)
        _logs[id(shell)] = CellLog(shell)
    return _logs[id(shell)]


def _log_of(namespace: dict[str, Any]) -> CellLog | None:
    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    return _logs.get(id(shell)) if shell is not None and shell.user_ns is namespace else None


if "IPython" in sys.modules and (_shell := sys.modules["IPython"].get_ipython()) is not None:
    attend(_shell)
