"""`check("softmax")` in a notebook."""

import contextlib
import functools
import io
import re
import sys
import threading
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
from autograder.checking.registry import Exercise, exercises, find
from autograder.checking.time_limit import TimeLimit, too_long
from autograder.checking.unwritten import explain_unwritten, stubs_used
from autograder.checking.verdict import UNTOUCHED, Verdict

PRINTED_AT_MOST = 1000
NOT_DEFINED = re.compile(r"NameError: name '(\w+)' is not defined")

observers: list[Callable[[Verdict], None]] = []
always_more = False  # whether every check shows what `more=True` does
limit_seconds: float | None = 60.0  # for one check; None where somebody else has an eye on it


def check(name: str, *, more: bool = False, limit_seconds: float | None = None) -> float:
    """Check your solution of the exercise `name`, show what was found, return the points earned.

    With `more=True` a small input that goes wrong is shown, too: what came, what should have come,
    and where to read again. A check that has not ended after a minute, or `limit_seconds`, is
    stopped.
    """
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
    verdict = _judged(task, namespace, printed, limit_seconds, more or always_more)
    if _untouched(verdict) and (stubs := stubs_used(name, namespace)):
        verdict = replace(verdict, status="failed", message=_waits_for(name, stubs))
    if log is not None and (near := log.renamed(name, exercises())) and _untouched(verdict):
        text = f"Your cells define {near}; is that the one? The name must be {name}."
        verdict = replace(verdict, status="failed", message=text)
    if log is not None and (lacking := NOT_DEFINED.search(verdict.message)):
        reason = log.reason_for_missing(lacking[1])
        verdict = replace(verdict, message=f"{verdict.message} {reason}") if reason else verdict
    output = printed.getvalue()
    if len(output) > PRINTED_AT_MOST:
        output = output[:PRINTED_AT_MOST] + "\n..."
    note = note_on_imports(log.imports()) if log is not None else ""
    return _show(Feedback(verdict, "" if verdict.passed else output, note))


def _untouched(verdict: Verdict) -> bool:
    return verdict.status in UNTOUCHED


def _judged(
    task: Exercise,
    namespace: dict[str, Any],
    printed: io.StringIO,
    seconds: float | None,
    more: bool,
) -> Verdict:
    """The verdict, within the time that there is for it."""
    seconds = limit_seconds if seconds is None else seconds
    if threading.current_thread() is not threading.main_thread():
        seconds = None  # only the main one can be interrupted
    limit = contextlib.nullcontext() if seconds is None else _limit(task.name, seconds)
    with limit as reached, _quiet(printed):
        try:
            return judge(task.name, Home(namespace), reference_for(task), more=more)
        except Exception as error:
            text = f"The check itself failed ({type(error).__name__}: {error})."
            return Verdict(task.name, 0.0, task.points, "failed", message=text)
    assert reached is not None and seconds is not None
    return verdict_on_endless(task, seconds, reached.stopped)


def _limit(name: str, seconds: float) -> TimeLimit:
    words = f"{name} did not end within {seconds:g} seconds, and cannot be stopped: restart the "
    say = functools.partial(print, file=sys.stdout, flush=True)  # where the cell's output goes
    return TimeLimit(seconds, f"{words}kernel, or wait.", say)


def verdict_on_endless(task: Exercise, seconds: float, stopped: str) -> Verdict:
    """The verdict on what was stopped."""
    message = too_long(task.name, seconds, stopped)
    return Verdict(task.name, 0.0, task.points, "failed", message=message)


def _waits_for(name: str, stubs: list[str]) -> str:
    names, are = " and ".join(stubs), "are" if len(stubs) > 1 else "is"
    return (
        f"{name} uses {names}, which {are} not written yet: write that first. When your work is "
        f"graded, the provided {names} stands in for it."
    )


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
