"""Is what submissions import compiled once, and nothing else?"""

import importlib.util
from pathlib import Path

import pytest

from autograder.sandbox import compiled, probe
from autograder.sandbox.process import SandboxProcess

pytestmark = pytest.mark.skipif(probe.available() is not None, reason="no sandbox")


def cache(name: str, part: str = "__init__") -> Path:
    file = Path(importlib.util.find_spec(name).origin).with_name(f"{part}.py")
    return Path(importlib.util.cache_from_source(str(file)))


@pytest.fixture(autouse=True)
def nothing_tried(monkeypatch):
    monkeypatch.setattr(compiled, "_tried", set())


def test_what_a_submission_imports_is_compiled_with_all_that_it_loads():
    caches = [cache("einops"), cache("einops", "parsing")]
    for path in caches:
        path.unlink(missing_ok=True)
    with SandboxProcess() as warm:
        compiled.compile_imported(["x = 1", "import math\n  from einops import rearrange"], warm)
    assert all(path.is_file() for path in caches)


def test_a_part_of_lab_brings_what_it_imports():
    found = compiled._imported("from lab import digits")
    assert "sklearn.datasets" in found and "babel" not in found


@pytest.mark.parametrize(
    "source",
    ["import nbgrader", "import no_such_package", "import math", "import a..b, c", "x = 'import'"],
)
def test_nothing_is_asked_for_what_submissions_cannot_import(monkeypatch, source):
    monkeypatch.setattr(compiled, "WORKER", frozenset())
    cache("nbgrader").unlink(missing_ok=True)
    compiled.compile_imported([source], warm=None)  # which has no session to ask
