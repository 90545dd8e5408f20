"""One sentence, in place of a traceback, where a cell meets an exercise that is not written yet."""

import ast
import inspect
import symtable
import traceback
from collections.abc import Iterator
from types import CodeType
from typing import Any, NamedTuple

from autograder.checking.registry import exercises
from autograder.notebook.cell_log import MISSING
from autograder.source.syntax import made_in

STUB = "NotImplementedError"  # what a stub raises


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
    cells = _Cells(shell)
    shell.set_custom_exc((Exception,), cells.explain)
    shell.events.register("pre_run_cell", cells.begin)
    shell.events.register("post_run_cell", cells.end)


class _Cells:
    """Which names of a shell wait for which exercise, from one cell to the next."""

    def __init__(self, shell: Any) -> None:
        self._shell = shell
        self._waiting: dict[str, Waiting] = {}
        self._explained: list[tuple[BaseException, str]] = []
        self._running = ""

    def begin(self, info: Any) -> None:
        """A cell begins."""
        self._running = info.raw_cell

    def explain(
        self, shell: Any, kind: type, error: BaseException, trace: Any, tb_offset: Any = None
    ) -> None:
        """Say in one sentence what the cell waits for, or show its error."""
        exercise = self._waited_for(error)
        if exercise is None:
            shell.showtraceback((kind, error, trace), tb_offset=tb_offset)
            return
        self._explained.append((error, exercise))
        print(
            f"This cell needs {exercise}, which is not written yet: "
            f"see the exercise {exercise} in chapter {exercises()[exercise].chapter}."
        )

    def end(self, result: Any) -> None:
        """A cell that waits has not failed; what it would have made waits with it."""
        for error, exercise in self._explained:
            if result.error_in_exec is error:
                result.error_in_exec = None
                names = self._shell.user_ns
                for name in _names_defined_by(self._shell.transform_cell(result.info.raw_cell)):
                    left = names.get(name, MISSING)
                    self._waiting[name] = Waiting(exercise, names.get(exercise), left)
        self._explained.clear()

    def _waited_for(self, error: BaseException) -> str | None:
        if isinstance(error, SyntaxError):
            return None  # no names can be read from the cell
        if exercise := _stub_that_raised(error):
            return exercise
        if isinstance(error, NameError):
            return self._of_name(error.name)
        needed = _names_needed_by(self._shell.transform_cell(self._running))
        return next(filter(None, map(self._of_name, needed)), None)

    def _of_name(self, name: str | None) -> str | None:
        """The exercise that a name waits for, while both are as they were."""
        if name not in self._waiting:
            return None
        exercise, stub, value = self._waiting[name]
        names = self._shell.user_ns
        unchanged = names.get(name, MISSING) is value and names.get(exercise) is stub
        return exercise if unchanged else None


def _stub_that_raised(error: BaseException) -> str | None:
    if not isinstance(error, NotImplementedError):
        return None
    registered = exercises()
    for frame, _ in reversed(list(traceback.walk_tb(error.__traceback__))):
        for name in frame.f_code.co_qualname.split("."):
            if name in registered:
                return name
    return None


def _names_defined_by(source: str) -> list[str]:
    return sorted(made_in(symtable.symtable(source, "cell", "exec")))


def _names_needed_by(source: str) -> list[str]:
    """The names that a cell reads and does not define itself, in functions too."""
    read = {node.id for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Name)}
    return sorted(read.difference(_names_defined_by(source)))


def stubs_used(name: str, namespace: dict[str, Any]) -> list[str]:
    """The exercises that the code of `name` uses and that are stubs yet; none if it is one."""
    used = _names_in(namespace.get(name))
    if STUB in used:
        return []
    others = (one for one in exercises() if one in used and one != name)
    return [one for one in others if STUB in _names_in(namespace.get(one))]


def _names_in(thing: Any) -> set[str]:
    """The names that a function, or a class's methods, look up as they run."""
    parts = vars(thing).values() if isinstance(thing, type) else [thing]
    codes = (part.__code__ for part in parts if inspect.isfunction(part))
    return {name for code in codes for inner in _all_codes(code) for name in inner.co_names}


def _all_codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _all_codes(constant)
