"""A cell whose failing line does not take the rest of the cell with it."""

import ast
from typing import Any

from autograder.source.syntax import UNREADABLE, first_line

STOPS_AT_MOST = 20  # a cell goes on after so many of its statements have failed
LONGEST = 50_000  # characters of a cell that goes on


def run_cell(shell: Any, source: str, **options: Any) -> Any:
    """Run a cell as IPython does; after a statement that raises, go on with the next one.

    Lines that are no Python are left out. Returns the result up to the first error.
    """
    first = result = shell.run_cell(source, **options)
    for _ in range(STOPS_AT_MOST):
        pieces = _rest(shell, source, result)
        if not pieces:
            break
        for source in pieces:
            result = shell.run_cell(source, **options)
    return first


def _rest(shell: Any, source: str, result: Any) -> list[str]:
    """What is left of a cell that stopped; each statement is in the line where it was."""
    error = result.error_before_exec or result.error_in_exec
    # Nothing went wrong, somebody wants it to stop, or to go on would take too long.
    if not isinstance(error, Exception) or len(source) > LONGEST:
        return []
    try:
        plain = shell.transform_cell(source)
    except Exception:
        plain = source
    try:
        body = ast.parse(plain).body
    except SyntaxError:
        whole = without_what_is_no_python(plain)
        return [whole] if whole.strip() else []
    except UNREADABLE:
        return []
    failed = _line_that_failed(error)
    if failed is None:
        return []
    here = [node for node in body if first_line(node) == failed]
    later = [first_line(node) for node in body if first_line(node) > failed]
    # Of several statements in one line, any may be the one that failed.
    pieces = ["\n" * (failed - 1) + ast.unparse(node) for node in here[1:]]
    if later:
        lines = plain.splitlines(keepends=True)
        pieces.append("\n" * (later[0] - 1) + "".join(lines[later[0] - 1 :]))
    return pieces


def _line_that_failed(error: BaseException) -> int | None:
    """The line of the cell, at its top level, in which the error came up."""
    trace = error.__traceback__
    while trace is not None:
        code = trace.tb_frame.f_code
        of_cell = "ipython-input" in code.co_filename or "ipykernel" in code.co_filename
        if of_cell and code.co_name == "<module>":
            return trace.tb_lineno
        trace = trace.tb_next
    return None


def without_what_is_no_python(source: str) -> str:
    """The source with every line blank that belongs to no whole statement."""
    lines = source.splitlines()
    starts = [
        index for index, line in enumerate(lines) if line[:1].strip() and line[0] not in ")]}"
    ]
    starts.append(len(lines))
    kept = [""] * len(lines)
    at = 0
    while at < len(starts) - 1:
        for end in range(at + 1, min(at + 40, len(starts))):
            piece = lines[starts[at] : starts[end]]
            if _is_python("\n".join(piece)):
                kept[starts[at] : starts[end]] = piece
                at = end
                break
        else:
            at += 1
    return "\n".join(kept)


def _is_python(text: str) -> bool:
    try:
        compile(text, "<cell>", "exec", ast.PyCF_ONLY_AST | ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    except UNREADABLE:
        return False
    return True


def ask_nobody(prompt: object = "") -> str:
    """In place of `input` where nobody is there to answer. Raises EOFError, which says so."""
    raise EOFError("input() waits for an answer, and nobody is there to give one")
