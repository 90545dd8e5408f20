"""A notebook's session in the page: cells run, exercises are checked, and cards come back as HTML.

It stands in for IPython, so that `check` finds here what it finds in a notebook.
"""

import ast
import contextlib
import importlib.util
import io
import json
import linecache
import math
import pickle
import sys
import traceback
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import torch

from autograder.checking.registry import Exercise, exercises
from autograder.diagnosis.recording import Recording, patterns_in
from autograder.notebook import check as checking
from autograder.remote.calling import Home
from autograder.remote.packing import unpacked
from autograder.remote.requests import Performer, Reply, Request
from autograder.remote.values import tensors
from autograder.source.sources import definition

REQUEST, REPLY = Path("/messages/request.json"), Path("/messages/reply.json")
RECORDED = Path(__file__).with_name("recorded")


class Shell:
    """What `check` and the log of cells use of an IPython shell."""

    def __init__(self) -> None:
        self.user_ns: dict[str, Any] = {"__name__": "__main__"}
        self.cards: list[Any] = []
        self._hooks: dict[str, list[Callable]] = {"pre_run_cell": [], "post_run_cell": []}
        self.events = SimpleNamespace(register=lambda when, hook: self._hooks[when].append(hook))
        self._explain: Callable | None = None
        self._cells = 0

    def set_custom_exc(self, _: Any, handler: Callable) -> None:
        self._explain = handler

    def transform_cell(self, source: str) -> str:
        return source

    def showtraceback(self, error: tuple, tb_offset: Any = None) -> None:
        kind, value, trace = error
        frames = [
            each for each in traceback.extract_tb(trace) if each.filename.startswith("<ipython")
        ]
        lines = traceback.format_list(frames) + traceback.format_exception_only(kind, value)
        print("".join(lines), end="")

    def run_cell(self, source: str) -> str:
        """Run it; return what it printed."""
        self._cells += 1
        info = SimpleNamespace(raw_cell=source)
        result = SimpleNamespace(info=info, error_before_exec=None, error_in_exec=None)
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
            for hook in self._hooks["pre_run_cell"]:
                hook(info)
            name = f"<ipython-input-{self._cells}>"
            linecache.cache[name] = len(source), None, source.splitlines(True), name
            try:
                code = compile(source, name, "exec")
            except SyntaxError as error:
                result.error_before_exec = error
                self.showtraceback((type(error), error, None))
            else:
                try:
                    exec(code, self.user_ns)
                except Exception as error:
                    result.error_in_exec = error
                    assert self._explain is not None
                    self._explain(self, type(error), error, error.__traceback__)
            for hook in self._hooks["post_run_cell"]:
                hook(result)
        return printed.getvalue()


class Recorded(Performer):
    """The reference as it was recorded with PyTorch.

    In float64 the reference itself: there the last digit of what a check draws counts, in which
    two libraries differ.
    """

    def __init__(self, exercise: Exercise) -> None:
        self._recording = Recording(recording_of(exercise.name))
        self.patterns = patterns_in(exercise.name)
        built = definition(exercise.module, exercise.reference).built()
        self._live = Home({exercise.name: built})

    def rewind(self) -> None:
        self._recording.rewind()

    def answer(self, request: Request) -> Reply:
        recorded, live = self._recording.answer(request), self._live.answer(request)
        given = [one for part in vars(request).values() for _, one in tensors(part)]
        return live if any(one.dtype == torch.float64 for one in given) else recorded


def recording_of(name: str) -> list[Reply]:
    """The recorded answers of a reference."""
    return [Reply.of(one) for one in unpacked(pickle.loads((RECORDED / name).read_bytes()))]


class Session:
    """Answers what the page asks; each request runs in a notebook of its own."""

    def __init__(self) -> None:
        self.shell = Shell()
        self._before: list[str] = []  # the cells that the shell's names come from
        display = ModuleType("IPython.display")
        display.display = lambda card: self.shell.cards.append(card)  # type: ignore[attr-defined]
        stand_in = ModuleType("IPython")
        stand_in.get_ipython = lambda: self.shell  # type: ignore[attr-defined]
        sys.modules |= {"IPython": stand_in, "IPython.display": display}
        checking.limit_seconds = None  # whoever waits for the answer ends the interpreter
        checking.reference_for = Recorded  # type: ignore[assignment]

    def answer(self, request: dict[str, Any]) -> dict[str, Any]:
        """What comes of `check` of an exercise after some cells, or of one that did not end.

        Or what a demo prints after them, or an expression gives.
        """
        if "seconds" in request:
            exercise = exercises()[request["exercise"]]
            verdict = checking.verdict_on_endless(exercise, request["seconds"], "")
            return _card(checking.Feedback(verdict))
        before = [_imports(request), *request["before"]]
        if "demo" in request:
            here = [*map(runnable, before)]
            return {"printed": self.run(here, showing(runnable(request["demo"])))}
        if "expression" in request:
            return {"value": self._computed(before, request["expression"], request["values"])}
        printed = self.run(before, request["written"])
        self.shell.run_cell(f"from autograder import check\ncheck({request['exercise']!r})")
        return _card(self.shell.cards[-1]) | {"printed": printed}

    def _computed(self, before: list[str], expression: str, values: dict[str, Any]) -> Any:
        """What an expression gives after some cells, which run once for many of them."""
        if before != self._before:
            self.run(before, "")
            self._before = before
        names = {name: _with_infinities(value) for name, value in values.items()}
        result = eval(expression, self.shell.user_ns | names)
        return _without_infinities(result.tolist())

    def run(self, before: list[str], source: str) -> str:
        """What a cell prints in a new notebook, after some others."""
        self.shell, self._before = Shell(), []
        checking._logs.clear()
        checking.attend(self.shell)
        for one in before:
            self.shell.run_cell(one)
        return self.shell.run_cell(source)


def _with_infinities(value: Any) -> Any:
    """JSON has no infinities: what is masked comes as nothing."""
    if isinstance(value, list):
        return [_with_infinities(one) for one in value]
    return -math.inf if value is None else value


def _without_infinities(value: Any) -> Any:
    if isinstance(value, list):
        return [_without_infinities(one) for one in value]
    return value if math.isfinite(value) else None


def runnable(source: str, here: Callable[[str], bool] | None = None) -> str:
    """A cell without its imports of what is not here."""
    try:
        tree = ast.parse(source)
    except SyntaxError:  # a command of IPython's, or what the reader has not finished
        return source
    gone = [
        statement
        for statement in tree.body
        if (roots := _roots(statement)) and not all(map(here or _is_here, roots))
    ]
    if not gone:
        return source
    tree.body = [statement for statement in tree.body if statement not in gone]
    return ast.unparse(tree)


def showing(source: str) -> str:
    """A cell that prints what a notebook shows of its last line."""
    tree = ast.parse(source)
    if tree.body and isinstance(last := tree.body[-1], ast.Expr):
        shown = ast.parse("(lambda it: None if it is None else print(repr(it)))(0)").body[0]
        shown.value.args = [last.value]  # type: ignore[attr-defined]
        tree.body[-1] = shown
    return ast.unparse(tree)


def _imports(request: dict[str, Any]) -> str:
    return "\n".join(imported_here(request["imports"]))


def imported_here(cells: Iterable[str], here: Callable[[str], bool] | None = None) -> Iterator[str]:
    """What cells import and is here, and how they let tensors be printed.

    What draws figures and what loads data is not here.
    """
    for cell in cells:
        with contextlib.suppress(SyntaxError):  # a command of IPython's
            for statement in ast.parse(cell).body:
                roots = _roots(statement)
                imports = roots and all(map(here or _is_here, roots))
                if imports or _sets_printing(statement):
                    yield ast.unparse(statement)


def _sets_printing(statement: ast.stmt) -> bool:
    match statement:
        case ast.Expr(ast.Call(ast.Attribute(ast.Name("torch"), "set_printoptions"))):
            return True
    return False


def _roots(statement: ast.stmt) -> list[str]:
    if isinstance(statement, ast.ImportFrom):
        return [(statement.module or "").split(".")[0]]
    if isinstance(statement, ast.Import):
        return [alias.name.split(".")[0] for alias in statement.names]
    return []


def _is_here(module: str) -> bool:
    return module in sys.modules or importlib.util.find_spec(module) is not None


def _card(feedback: Any) -> dict[str, Any]:
    return {"html": feedback.html(), "verdict": feedback.verdict.without_example()}


def serve(session: Session) -> None:
    """Answer the request that lies in the file."""
    reply = session.answer(json.loads(REQUEST.read_text(encoding="utf-8")))
    REPLY.write_text(json.dumps(reply), encoding="utf-8")
