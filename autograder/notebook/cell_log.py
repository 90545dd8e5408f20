"""What the cells of a notebook did: which one defines a name, and what stopped it on the way."""

import ast
import difflib
import functools
import re
import symtable
import traceback
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any

from autograder.source.syntax import UNREADABLE, imported, made_in

MISSING = object()


@dataclass
class Cell:
    """One cell that was run; what it binds is looked up when somebody asks."""

    source: str
    plain: Callable[[str], str]  # its source without IPython's own syntax
    changed: frozenset[str] | None  # the names that it got to, if an error stopped it
    error: str = ""  # what stopped it, in one sentence
    lacking: str = ""  # the name that it failed on

    @property
    def begins(self) -> str:
        return beginning(self.source)

    @functools.cached_property
    def _python(self) -> str:
        try:
            return self.plain(self.source)
        except SyntaxError:  # indented as neither Python nor IPython can read it
            return self.source

    @functools.cached_property
    def _bound(self) -> tuple[frozenset[str], frozenset[str]]:
        return names_bound(self._python)

    @functools.cached_property
    def imports(self) -> frozenset[str]:
        """The modules that it imports, by their first names."""
        return modules_imported(self._python)

    @property
    def defines(self) -> frozenset[str]:
        """By `def` or `class` at its top level, whether it got there or not."""
        return self._bound[0]

    @property
    def assigns(self) -> frozenset[str]:
        """In any other way."""
        return self._bound[1]

    @property
    def reached(self) -> frozenset[str]:
        """Those of its names that it got to."""
        bound = self.defines | self.assigns
        return bound if self.changed is None else bound & self.changed


class CellLog:
    """The cells of one shell, in the order in which they ran."""

    def __init__(self, shell: Any) -> None:
        self._shell = shell
        self._cells: list[Cell] = []
        self._before: dict[str, Any] = {}
        shell.events.register("pre_run_cell", self._begin)
        shell.events.register("post_run_cell", self._end)

    def clear(self) -> None:
        """Forget every cell."""
        self._cells.clear()

    def _begin(self, info: Any) -> None:
        self._before = dict(self._shell.user_ns)

    def _end(self, result: Any) -> None:
        if result.info is None or not (result.info.raw_cell or "").strip():
            return
        error, source = result.error_before_exec or result.error_in_exec, result.info.raw_cell
        changed, sentence = None, ""
        if error is not None:
            now, before = self._shell.user_ns, self._before
            changed = frozenset(name for name in now if now[name] is not before.get(name, MISSING))
            sentence = in_one_sentence(error, source)
        lacking = (getattr(error, "name", None) or "") if isinstance(error, NameError) else ""
        self._cells.append(Cell(source, self._shell.transform_cell, changed, sentence, lacking))
        self._before = {}

    def imports(self) -> set[str]:
        """The modules that the cells import, by their first names."""
        return set().union(*(cell.imports for cell in self._cells))

    def obstacle(self, name: str) -> str | None:
        """Why what `name` stands for is not the code of the exercise, in a sentence or two.

        None if it is, or if nothing is known against it.
        """
        value = self._shell.user_ns.get(name, MISSING)
        writing = [cell for cell in self._cells if name in cell.defines]
        if writing and writing[-1].error and name not in writing[-1].reached:
            return f"The cell that defines {name} stopped: {self._account(writing[-1])}"
        if value is MISSING:
            return f"{name} is not defined: {self._hint_for(name)}"
        if callable(value):
            return None
        last = [cell for cell in self._cells if name in cell.assigns & cell.reached]
        where = f", by the cell that begins `{last[-1].begins}`" if last else ""
        return (
            f"{name} stands for {a(type(value).__name__)}{where}. "
            "Give that another name, and run the cell of the exercise again."
        )

    def renamed(self, name: str, others: Collection[str]) -> str | None:
        """A name nearly like `name`, and none of the others, that was defined after `name` was."""
        wrote = [place for place, cell in enumerate(self._cells) if name in cell.reached]
        later = self._cells[wrote[-1] + 1 :] if wrote else []
        new = {each for cell in later for each in cell.defines & cell.reached}
        by_small = {each.lower(): each for each in new if each not in others}
        near = difflib.get_close_matches(name.lower(), by_small, n=1, cutoff=0.75)
        return by_small[near[0]] if near else None

    def writes(self, name: str) -> bool:
        """Whether some cell defines `name`, if only it got there."""
        return any(name in cell.defines | cell.assigns for cell in self._cells)

    def reason_for_missing(self, name: str) -> str | None:
        """Which cell would have defined `name`, and what stopped it before it did."""
        if name in self._shell.user_ns:
            return None
        cell = self._stopped_before(name)
        if cell is None:
            return None
        begins = f"The cell that begins `{cell.begins}` would have defined {name}"
        return f"{begins}, but stopped: {cell.error}"

    def _stopped_before(self, name: str) -> Cell | None:
        stopped = [
            cell
            for cell in self._cells
            if cell.error and name in (cell.defines | cell.assigns) - cell.reached
        ]
        return stopped[-1] if stopped else None

    def _account(self, cell: Cell) -> str:
        reason = self.reason_for_missing(cell.lacking) if cell.lacking else None
        return f"{cell.error} {reason}" if reason else cell.error

    def _hint_for(self, name: str) -> str:
        written = {each for cell in self._cells for each in cell.defines & cell.reached}
        near = difflib.get_close_matches(name, written, n=1, cutoff=0.75)
        if near:
            return f"your cells define {near[0]}; is that the one? The name must be {name}."
        return "run the cell of the exercise first."


def a(noun: str) -> str:
    """`a Tensor`, `an int`."""
    return f"{'an' if noun[:1].lower() in 'aeiou' else 'a'} {noun}"


def beginning(source: str) -> str:
    """The first line of a cell that is not empty, shortened."""
    line = next((line.strip() for line in source.splitlines() if line.strip()), "")
    return line if len(line) <= 60 else line[:57] + "..."


def names_bound(source: str) -> tuple[frozenset[str], frozenset[str]]:
    """The names that a cell binds at its top level: by `def` or `class`, and otherwise.

    Of a cell that is no Python, those are found that begin a line of it.
    """
    try:
        top = symtable.symtable(source, "<cell>", "exec")
    except UNREADABLE:
        names = re.findall(r"^(?:async\s+)?(?:def|class)\s+(\w+)", source, re.MULTILINE)
        return frozenset(names), frozenset()
    bound = made_in(top)
    defined = bound & {inner.get_name() for inner in top.get_children()}
    return frozenset(defined), frozenset(bound - defined)


def modules_imported(source: str) -> frozenset[str]:
    """The first names of the modules that a source imports anywhere; none of what is no Python."""
    try:
        return frozenset(name.partition(".")[0] for name in imported(ast.parse(source)))
    except UNREADABLE:
        return frozenset()


def in_one_sentence(error: BaseException, source: str) -> str:
    """`SyntaxError in line 3: expected ':' (def softmax(scores, dim=-1))`."""
    if isinstance(error, SyntaxError) and error.msg == "incomplete input":
        try:  # IPython does not say what is incomplete, Python does
            compile(source, "<cell>", "exec")
        except SyntaxError as plain:
            error = plain
    kind = type(error).__name__
    if isinstance(error, SyntaxError):
        line = (error.text or "").strip()
        number, message = error.lineno, error.msg
    else:
        frames = [
            frame
            for frame in traceback.extract_tb(error.__traceback__)
            if "ipython-input" in frame.filename or "ipykernel" in frame.filename
        ]
        line = (frames[-1].line or "").strip() if frames else ""
        number, message = (frames[-1].lineno if frames else None), str(error)
    if isinstance(error, KeyboardInterrupt):
        message = "it was stopped while it ran"
    where = f" in line {number}" if number else ""
    quoted = f" (`{line}`)" if line else ""
    message = f": {message[:300]}" if message else ""
    return f"{kind}{where}{message}{quoted}."
