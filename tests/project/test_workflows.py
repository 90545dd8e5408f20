"""The workflows run what was looked at, with no more rights than they need."""

import json
import re
import runpy
from importlib.metadata import version
from pathlib import Path

import pytest
import yaml

FOLDER = Path(__file__).parents[2] / ".github" / "workflows"
WORKFLOWS = sorted(FOLDER.glob("*.yml"))


def jobs(path: Path) -> dict[str, dict]:
    return yaml.safe_load(path.read_text(encoding="utf-8"))["jobs"]


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_is_every_action_pinned_to_a_commit(path):
    used = [step["uses"] for job in jobs(path).values() for step in job["steps"] if "uses" in step]
    assert used
    assert [action for action in used if not re.fullmatch(r"[\w./-]+@[0-9a-f]{40}", action)] == []


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_may_no_job_that_runs_the_courses_code_write_anything(path):
    whole = yaml.safe_load(path.read_text(encoding="utf-8"))
    for job in whole["jobs"].values():
        rights = job.get("permissions", whole["permissions"])
        runs = any("make " in step.get("run", "") for step in job["steps"])
        if runs:
            assert set(rights.values()) <= {"read"}
            checkout = job["steps"][0]
            assert checkout["with"]["persist-credentials"] is False


def test_the_weekly_run_leaves_its_date_once_all_of_it_has_passed(tmp_path, monkeypatch):
    weekly = jobs(FOLDER / "weekly.yml")
    runs = [step.get("run", "") for step in weekly["newest"]["steps"]]
    assert runs.index(".venv/bin/python make/tested.py") > runs.index("make site PYTHON=python")
    assert weekly["record"]["needs"] == "newest"
    runpy.run_path(str(FOLDER.parents[1] / "make" / "tested.py"))["main"](tmp_path / "tested.json")
    monkeypatch.syspath_prepend(str(FOLDER.parents[1] / "book" / "_ext"))
    import tested_with

    record = json.loads((tmp_path / "tested.json").read_text())
    said = tested_with.sentence(record)
    year = record["date"].partition("-")[0]
    assert f", {year}, every chapter" in said
    assert said.endswith(f"PyTorch {version('torch').partition('+')[0]}.")


def test_is_nothing_published_that_the_tests_have_not_passed():
    published = yaml.safe_load((FOLDER / "publish.yml").read_text(encoding="utf-8"))
    begins = published[True]  # YAML reads `on` so
    tests = yaml.safe_load((FOLDER / "ci.yml").read_text(encoding="utf-8"))
    assert set(begins) == {"workflow_run", "workflow_dispatch"}
    assert begins["workflow_run"]["workflows"] == [tests["name"]]
    build = published["jobs"]["build"]
    assert "workflow_run.conclusion == 'success'" in build["if"]
    assert "workflow_run.head_sha" in build["steps"][0]["with"]["ref"]
    first = {name for name, job in published["jobs"].items() if "needs" not in job}
    assert first == {"build"}
