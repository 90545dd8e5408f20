"""`autograder check NOTEBOOK`: the same checks as in the notebook, as a table in the terminal."""

import builtins
import contextlib
import json
import os
import re
import sys
from pathlib import Path
from typing import Any

from autograder.checking.registry import exercises
from autograder.checking.verdict import Verdict
from autograder.notebook import check as in_notebook
from autograder.notebook.cell_log import beginning, modules_imported
from autograder.notebook.check import verdict_on_endless
from autograder.notebook.feedback import details, example_lines, headline, points_text
from autograder.notebook.lazy import load_when_used
from autograder.notebook.packages import note_on_imports
from autograder.notebook.resuming import ask_nobody, run_cell
from autograder.notebook.time_limit import TimeLimit
from autograder.remote.calling import described

CHECKED = re.compile(r"""^\s*check\(\s*["'](\w+)["']\s*[,)]""", re.MULTILINE)


def check_notebook(path: Path, limit_seconds: float = 60.0, more: bool = False) -> list[Verdict]:
    """Run a notebook's cells in this process and return what its check cells found.

    Cells tagged `ungraded` (training, figures) are left out; one that takes longer than the limit
    is stopped. With `more`, a small example of what is wrong is looked for. Raises ValueError with
    one sentence when the file is not a notebook.
    """
    sources = _sources(path)
    os.environ["MPLBACKEND"] = "Agg"
    load_when_used("matplotlib.pyplot")
    from IPython.core.interactiveshell import InteractiveShell
    from IPython.utils.capture import capture_output

    caller = sys.modules["__main__"]
    shell = InteractiveShell.instance()
    shell.reset(new_session=False)  # nothing is left over from another notebook
    in_notebook.attend(shell).clear()
    sys.modules["__main__"] = shell.user_module
    verdicts: list[Verdict] = []
    in_notebook.observers.append(verdicts.append)
    sys.path.insert(0, str(path.resolve().parent))
    answered, builtins.input = builtins.input, ask_nobody
    limit, in_notebook.limit_seconds = in_notebook.limit_seconds, None  # a cell's is the one here
    in_notebook.always_more = more
    try:
        with contextlib.chdir(path.resolve().parent), capture_output():
            for source in sources:
                verdicts += _run(shell, source, limit_seconds)
    finally:
        builtins.input, in_notebook.limit_seconds = answered, limit
        in_notebook.always_more = False
        in_notebook.observers.remove(verdicts.append)
        # A process that calls this must stay able to start others, which read its own `__main__`.
        sys.modules["__main__"] = caller
    latest = {verdict.name: verdict for verdict in verdicts}
    return list(latest.values())


def note_on_packages(path: Path) -> str:
    """What a learner should know of the packages that a notebook imports; nothing if all is well.

    Raises ValueError as `check_notebook` does.
    """
    from IPython.core.inputtransformer2 import TransformerManager

    names: set[str] = set()
    for source in _sources(path):
        with contextlib.suppress(SyntaxError):
            names |= modules_imported(TransformerManager().transform_cell(source))
    return note_on_imports(names)


def _sources(path: Path) -> list[str]:
    """The cells that count."""
    try:
        cells = json.loads(path.read_bytes())["cells"]  # in any encoding of JSON's
    except FileNotFoundError:
        raise ValueError(f"There is no file {path}.") from None
    except (OSError, ValueError, KeyError, TypeError):
        raise ValueError(f"{path} is not a notebook: save it in Jupyter and try again.") from None
    return [
        "".join(cell["source"])
        for cell in cells
        if cell.get("cell_type") == "code"
        and "ungraded" not in cell.get("metadata", {}).get("tags", [])
    ]


def _run(shell: Any, source: str, limit_seconds: float) -> list[Verdict]:
    """Run a cell; the verdicts on what it checked, if it had to be stopped on the way."""
    words = f"The cell that begins `{beginning(source)}` did not end within"
    words += f" {limit_seconds:g} seconds, and cannot be stopped."
    with TimeLimit(limit_seconds, words) as limit:
        result = run_cell(shell, source, store_history=False)
    if not limit.reached:
        return []
    stopped = described(result.error_in_exec).where if result.error_in_exec else ""
    registered = exercises()
    return [
        verdict_on_endless(registered[name], limit_seconds, stopped)
        for name in CHECKED.findall(source)
        if name in registered
    ]


def table(verdicts: list[Verdict]) -> str:
    """The verdicts in plain text, with the total."""
    lines: list[str] = []
    for verdict in verdicts:
        lines += [headline(verdict), *(f"    {line}" for line in details(verdict))]
        lines += [f"    {line}" for line in example_lines(verdict.more or {})]
    earned = sum(verdict.points for verdict in verdicts)
    possible = sum(verdict.max_points for verdict in verdicts)
    lines.append(f"{earned:g} of {points_text(possible)}")
    return "\n".join(lines)
