"""Does `make format` put right what it can, and say what it cannot?"""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LINT = ROOT / "make" / "lint.py"
SETTINGS = (ROOT / "pyproject.toml").read_text(encoding="utf-8")


def mended(path: Path, text: str) -> subprocess.CompletedProcess:
    """What `make format` makes of a file, where Node is not there."""
    (path.parent / "pyproject.toml").write_text(SETTINGS, encoding="utf-8")
    path.write_text(text, encoding="utf-8")
    command = [sys.executable, LINT, "--mend", path]
    return subprocess.run(command, env={"PATH": ""}, capture_output=True, text=True)


def test_what_can_be_mended_is(tmp_path):
    said = mended(tmp_path / "code.py", "import os, sys\nprint( sys.path )\n")
    assert said.returncode == 0, said.stdout
    assert (tmp_path / "code.py").read_text() == "import sys\n\nprint(sys.path)\n"


def test_what_cannot_be_mended_is_said(tmp_path):
    said = mended(tmp_path / "code.py", f'NAME = "{"long " * 30}"\n')
    assert said.returncode == 1
    assert "E501" in said.stdout and "JavaScript and CSS were not looked at" in said.stdout


def test_the_linters_run_before_the_tests():
    import yaml

    jobs = yaml.safe_load((ROOT / ".github/workflows/ci.yml").read_text())["jobs"]
    assert jobs["test"]["needs"] == "lint"
    assert any(step.get("run") == "python make/lint.py" for step in jobs["lint"]["steps"])
