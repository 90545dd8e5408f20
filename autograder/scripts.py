"""Programs of this environment that others run by name."""

import contextlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path


@contextlib.contextmanager
def scripts_on_path() -> Iterator[None]:
    """nbgrader runs `alembic` by name, which is found only where the environment is activated."""
    before = os.environ.get("PATH", "")
    os.environ["PATH"] = os.pathsep.join(filter(None, [str(Path(sys.executable).parent), before]))
    try:
        yield
    finally:
        os.environ["PATH"] = before
