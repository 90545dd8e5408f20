"""Do tests that share a costly preparation run on one worker, so that it is made once?"""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

SHARING = """\
import os
import pytest

@pytest.mark.xdist_group("shared")
@pytest.mark.parametrize("number", range(6))
def test_who_runs_it(number):
    print("run by", os.environ["PYTEST_XDIST_WORKER"])
"""


def test_a_group_of_tests_stays_on_one_worker(tmp_path):
    (tmp_path / "test_sharing.py").write_text(SHARING)
    command = [sys.executable, "-m", "pytest", "-n", "2", "--dist", "loadgroup", "-rP"]
    said = subprocess.run(
        [*command, "-c", ROOT / "pyproject.toml", "--rootdir", tmp_path, tmp_path],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    ).stdout
    assert "6 passed" in said
    assert len({line for line in said.splitlines() if line.startswith("run by")}) == 1
