"""`check("softmax")` in a notebook, and one sentence where a demo meets an unwritten exercise."""

import contextlib
import io
import sys
import traceback
import warnings
from collections.abc import Callable
from typing import Any

from autograder.checking.calling import Home
from autograder.checking.feedback import Feedback
from autograder.checking.judge import Verdict, judge
from autograder.checking.recording import reference_for
from autograder.checking.registry import exercises, find

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


def _unwritten(error: BaseException) -> str | None:
    """The exercise whose stub raised the error."""
    known = exercises()
    for frame, _ in reversed(list(traceback.walk_tb(error.__traceback__))):
        for name in frame.f_code.co_qualname.split("."):
            if name in known:
                return name
    return None


def _explain_stubs(shell: Any) -> None:
    """Show one sentence in place of a stub's traceback, and let `Run All` go on."""
    explained: list[BaseException] = []

    def handler(shell: Any, kind: type, error: BaseException, trace: Any, tb_offset: Any = None):
        name = _unwritten(error)
        if name is None:
            shell.showtraceback((kind, error, trace), tb_offset=tb_offset)
            return
        explained.append(error)
        chapter = known_chapter(name)
        print(
            f"This cell needs {name}, which is not written yet: see the exercise {name} {chapter}."
        )

    def known_chapter(name: str) -> str:
        return f"in chapter {exercises()[name].chapter}"

    def forgive(result: Any) -> None:
        if result.error_in_exec is not None and result.error_in_exec in explained:
            explained.remove(result.error_in_exec)
            result.error_in_exec = None

    shell.set_custom_exc((NotImplementedError,), handler)
    shell.events.register("post_run_cell", forgive)


if "IPython" in sys.modules and (_shell := sys.modules["IPython"].get_ipython()) is not None:
    _explain_stubs(_shell)
