"""One sentence, in place of a traceback, where a cell meets an exercise that is not written yet."""

import ast
import symtable
import traceback
from typing import Any, NamedTuple

from autograder.checking.registry import exercises

MISSING = object()


class Waiting(NamedTuple):
    """A name that a cell would have finished, had its exercise been written."""

    exercise: str
    stub: Any
    value: Any  # what the name stood for when the cell stopped, or MISSING


def explain_unwritten(shell: Any) -> None:
    """Make an IPython shell say which exercise a cell waits for, and let `Run All` go on.

    A cell waits for an exercise if it calls the exercise's stub, or if it fails on a name that an
    earlier cell did not get to define, or to fill, because that cell waits for the exercise.
    """
    waiting: dict[str, Waiting] = {}
    explained: list[tuple[BaseException, str]] = []
    running: list[str] = []

    def remember(info: Any) -> None:
        running[:] = [info.raw_cell]

    def still_waiting(name: str | None) -> str | None:
        if name not in waiting:
            return None
        exercise, stub, value = waiting[name]
        unchanged = shell.user_ns.get(name, MISSING) is value
        return exercise if unchanged and shell.user_ns.get(exercise) is stub else None

    def handler(
        shell: Any, kind: type, error: BaseException, trace: Any, tb_offset: Any = None
    ) -> None:
        exercise = _stub_that_raised(error)
        if isinstance(error, SyntaxError):
            exercise = None  # no names can be read from the cell
        elif not exercise and isinstance(error, NameError):
            exercise = still_waiting(error.name)
        elif not exercise:
            needed = _names_needed_by(shell.transform_cell(running[0])) if running else ()
            exercise = next(filter(None, map(still_waiting, needed)), None)
        if exercise is None:
            shell.showtraceback((kind, error, trace), tb_offset=tb_offset)
            return
        explained.append((error, exercise))
        chapter = exercises()[exercise].chapter
        print(
            f"This cell needs {exercise}, which is not written yet: "
            f"see the exercise {exercise} in chapter {chapter}."
        )

    def forgive(result: Any) -> None:
        for error, exercise in explained:
            if result.error_in_exec is error:
                result.error_in_exec = None
                stub = shell.user_ns.get(exercise)
                for name in _names_defined_by(shell.transform_cell(result.info.raw_cell)):
                    waiting[name] = Waiting(exercise, stub, shell.user_ns.get(name, MISSING))
        explained.clear()

    shell.set_custom_exc((Exception,), handler)
    shell.events.register("pre_run_cell", remember)
    shell.events.register("post_run_cell", forgive)


def _stub_that_raised(error: BaseException) -> str | None:
    if not isinstance(error, NotImplementedError):
        return None
    known = exercises()
    for frame, _ in reversed(list(traceback.walk_tb(error.__traceback__))):
        for name in frame.f_code.co_qualname.split("."):
            if name in known:
                return name
    return None


def _names_defined_by(source: str) -> list[str]:
    symbols = symtable.symtable(source, "cell", "exec").get_symbols()
    return [each.get_name() for each in symbols if each.is_assigned() or each.is_imported()]


def _names_needed_by(source: str) -> list[str]:
    """The names that a cell reads and does not define itself, in functions too."""
    read = {node.id for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Name)}
    return sorted(read.difference(_names_defined_by(source)))
