"""Is every file written in the style that pyproject.toml sets?"""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("command", ["check --quiet", "format --check --quiet"])
def test_ruff_has_nothing_to_say(command):
    result = subprocess.run(
        [sys.executable, "-m", "ruff", *command.split(), "--no-cache", "."],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert result.returncode == 0, f"run `make format`, then `make lint`:\n{result.stdout}"
