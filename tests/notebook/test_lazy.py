"""Is a module that nobody uses never run, and one that somebody uses whole?"""

import importlib
import sys
from pathlib import Path

import pytest

from autograder.notebook import lazy

SOURCE = "print('running')\n\ndef answer():\n    return 42\n"


@pytest.fixture(autouse=True)
def a_module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "slow_to_load").mkdir()
    (tmp_path / "slow_to_load" / "__init__.py").write_text("")
    (tmp_path / "slow_to_load" / "drawing.py").write_text(SOURCE)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "meta_path", list(sys.meta_path))
    for name in ("slow_to_load", "slow_to_load.drawing"):
        monkeypatch.delitem(sys.modules, name, raising=False)


@pytest.mark.parametrize(
    "statement",
    ["import slow_to_load.drawing as drawing", "from slow_to_load import drawing"],
)
def test_it_runs_when_it_is_used(statement: str, capsys: pytest.CaptureFixture[str]) -> None:
    lazy.load_when_used("slow_to_load.drawing")
    found: dict = {}
    exec(statement, found)
    assert capsys.readouterr().out == ""
    assert found["drawing"].answer() == 42
    assert capsys.readouterr().out == "running\n"


def test_what_is_loaded_stays_as_it_is() -> None:
    there = importlib.import_module("slow_to_load.drawing")
    before = len(sys.meta_path)
    lazy.load_when_used("slow_to_load.drawing")
    assert len(sys.meta_path) == before
    assert importlib.import_module("slow_to_load.drawing") is there


def test_asking_twice_is_asking_once() -> None:
    lazy.load_when_used("slow_to_load.drawing")
    lazy.load_when_used("slow_to_load.drawing")
    # Others may wait for theirs: the terminal's command asks for pyplot.
    waiting = [each for each in sys.meta_path if isinstance(each, lazy._Late)]
    assert [each.name for each in waiting].count("slow_to_load.drawing") == 1
