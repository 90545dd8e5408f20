"""Do tests that share a costly preparation run on one worker, so that it is made once?"""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

SHARING = """\
import os
import pytest

@pytest.fixture(scope="module")
def costly():
    return 0

@pytest.mark.parametrize("number", range(6))
def test_who_runs_it(costly, number):
    print("run by", os.environ["PYTEST_XDIST_WORKER"])
"""


def test_tests_that_share_a_fixture_stay_on_one_worker(tmp_path):
    (tmp_path / "test_sharing.py").write_text(SHARING)
    command = [sys.executable, "-m", "pytest", "-p", "xdist", "-p", "tests.order", "-rP"]
    said = subprocess.run(
        [*command, "-n", "2", "--dist", "loadgroup", "--rootdir", tmp_path, tmp_path],
        cwd=ROOT,
        env=os.environ | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        text=True,
    ).stdout
    assert "6 passed" in said, said
    assert len({line for line in said.splitlines() if line.startswith("run by")}) == 1
