"""One sentence, in place of a traceback, where a cell meets an exercise that is not written yet."""

import symtable
import traceback
from typing import Any

from autograder.checking.registry import exercises


def explain_unwritten(shell: Any) -> None:
    """Make an IPython shell say which exercise a cell waits for, and let `Run All` go on.

    A cell waits for an exercise if it calls the exercise's stub, or if it uses a name that an
    earlier cell did not get to define because that cell waits for the exercise.
    """
    # A name that no cell has defined yet: the exercise it waits for, and the stub of that time.
    waiting: dict[str, tuple[str | None, Any]] = {}
    explained: list[tuple[BaseException, str]] = []

    def handler(shell: Any, kind: type, error: BaseException, trace: Any, tb_offset: Any = None):
        if isinstance(error, NameError):
            exercise, stub = waiting.get(error.name, (None, None))
            if exercise and shell.user_ns.get(exercise) is not stub:
                exercise = None  # it was written since, and the earlier cell not run again
        else:
            exercise = _stub_that_raised(error)
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
                source = shell.transform_cell(result.info.raw_cell)
                cause = exercise, shell.user_ns.get(exercise)
                waiting.update(dict.fromkeys(_names_defined_by(source), cause))
        explained.clear()

    shell.set_custom_exc((NotImplementedError, NameError), handler)
    shell.events.register("post_run_cell", forgive)


def _stub_that_raised(error: BaseException) -> str | None:
    known = exercises()
    for frame, _ in reversed(list(traceback.walk_tb(error.__traceback__))):
        for name in frame.f_code.co_qualname.split("."):
            if name in known:
                return name
    return None


def _names_defined_by(source: str) -> list[str]:
    symbols = symtable.symtable(source, "cell", "exec").get_symbols()
    return [each.get_name() for each in symbols if each.is_assigned() or each.is_imported()]
