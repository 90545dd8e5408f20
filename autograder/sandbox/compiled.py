"""Compiles the packages that a submission imports, once for all submissions.

Nothing can be written inside the sandbox. What nobody has imported on this machine would be
compiled there anew for each submission, which takes seconds for seaborn or scikit-learn.
"""

import contextlib
import functools
import importlib.util
import py_compile
import re
from collections.abc import Iterable
from importlib.machinery import PathFinder
from pathlib import Path

from autograder.notebook.packages import modules
from autograder.remote.wire import WireError
from autograder.sandbox.errors import SandboxError
from autograder.sandbox.process import SandboxProcess
from autograder.source.content import content

AT_MOST_SECONDS = 120
_IMPORT = re.compile(r"^[ \t]*(?:from|import)[ \t]+([A-Za-z_][\w.]{0,100})", re.MULTILINE)
# What every session begins with.
WORKER = frozenset({"IPython.core.interactiveshell", "matplotlib.pyplot", "torch"})
_LOADED = """\
import importlib, sys
for name in {names}:
    try: importlib.import_module(name)
    except Exception: pass
print(*sys.modules)
"""
_WORD = re.compile(r"\w+")
_tried: set[str] = set()  # in this process: a second time would change nothing


def compile_imported(sources: Iterable[str], warm: SandboxProcess) -> None:
    """Compile what these cells import. Here no package runs: which modules those load is found in
    a session of its own, which no submission has seen.
    """
    names = WORKER | _imported("\n".join(sources))
    todo = {name for name in names if name not in _tried and not _is_compiled(name)}
    if not todo:
        return
    _tried.update(todo)
    # Where it fails, submissions import what there is, at their own expense.
    with contextlib.suppress(SandboxError, WireError, OSError), warm.session() as session:
        source = _LOADED.format(names=sorted(todo))
        request = {"op": "run", "source": source, "bytes": 10**6}
        reply = session.request(request, AT_MOST_SECONDS)
        for output in reply["outputs"]:
            for name in output.get("text", "").split():
                file = _file(name)
                if file is not None and not _is_compiled(name):
                    py_compile.compile(str(file), quiet=2)


def _imported(source: str) -> set[str]:
    """The modules that a source names in its imports, and those that its shared parts name."""
    names = set(_IMPORT.findall(source))
    shared = content().shared
    if any(name.partition(".")[0] == shared for name in names):
        words = set(_WORD.findall(source))
        for part, imported in _imported_by_parts(shared).items():
            names |= imported if part in words else set()
    return names


@functools.cache
def _imported_by_parts(package: str) -> dict[str, set[str]]:
    """The modules that each file of a package names in its imports."""
    spec = importlib.util.find_spec(package)
    paths = Path(spec.origin).parent.glob("*.py") if spec and spec.origin else ()
    return {path.stem: set(_IMPORT.findall(path.read_text(encoding="utf-8"))) for path in paths}


def _is_compiled(name: str) -> bool:
    file = _file(name)
    return file is None or Path(importlib.util.cache_from_source(str(file))).is_file()


@functools.lru_cache(maxsize=10_000)
def _file(name: str) -> Path | None:
    """The source of a module that submissions can import; None for any other."""
    first, *rest = name.split(".")
    spec = PathFinder.find_spec(first) if first in modules() else None
    if spec is None or spec.origin is None:
        return None
    if not rest:
        place = Path(spec.origin)
        return place if place.suffix == ".py" else None
    place = Path(spec.origin).parent.joinpath(*rest)
    files = (path for path in (place / "__init__.py", place.with_suffix(".py")) if path.is_file())
    return next(files, None)
