"""Are the versions that several files name the same in all of them?"""

import platform
import re
import tomllib
from importlib.metadata import PackageNotFoundError, metadata, version
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name
from packaging.version import Version

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
EXTRAS = PROJECT["optional-dependencies"]
CONSTRAINTS = [
    line for line in (ROOT / "constraints.txt").read_text().splitlines() if not line.startswith("#")
]
PINS = dict(line.split("==") for line in CONSTRAINTS)
WORKFLOW = yaml.safe_load((ROOT / ".github" / "workflows" / "ci.yml").read_text())
PYTHONS = WORKFLOW["jobs"]["test"]["strategy"]["matrix"]["python"]
CONDA = yaml.safe_load((ROOT / "environment.yml").read_text())


def requirements() -> list[Requirement]:
    """All that pyproject.toml asks for, its own extras left out."""
    lists = [PROJECT["dependencies"], *EXTRAS.values()]
    wanted = [Requirement(line) for lines in lists for line in lines]
    return [requirement for requirement in wanted if requirement.name != PROJECT["name"]]


@pytest.mark.parametrize("requirement", requirements(), ids=lambda r: r.name)
def test_the_tested_version_lies_in_the_range(requirement):
    name = canonicalize_name(requirement.name)
    assert name in PINS, f"{name} has no tested version: run `make constraints`"
    assert PINS[name] in requirement.specifier


def test_constraints_are_sorted_and_plain():
    assert sorted(PINS, key=str) == list(PINS)
    for line in CONSTRAINTS:
        assert re.fullmatch(r"[a-z0-9-]+==[0-9][0-9a-z.]*", line), line


def test_what_is_installed_is_what_is_constrained():
    # Other Pythons may need other packages, but none of those that are listed in another version.
    for name, pin in PINS.items():
        try:
            installed = version(name)
        except PackageNotFoundError:
            continue
        assert Version(installed).public == pin, f"{name}: run `make setup` or `make constraints`"


@pytest.mark.parametrize("python", PYTHONS)
def test_no_tested_version_excludes_a_python_that_the_project_names(python):
    """Debian 12 has 3.11.2, so the first release of each Python must do, not only its latest."""
    refused = {
        f"{name}=={pin} wants Python {wanted}"
        for name, pin in PINS.items()
        if (wanted := requires_python(name)) and f"{python}.0" not in SpecifierSet(wanted)
    }
    assert not refused


def requires_python(name: str) -> str | None:
    """What the installed release says; it is the tested one, by the test above."""
    try:
        return metadata(name).get("Requires-Python")
    except PackageNotFoundError:
        return None


def test_conda_gets_the_constrained_versions():
    packages = [entry for entry in CONDA["dependencies"] if isinstance(entry, str)]
    pinned = dict(entry.split("=", 1) for entry in packages if "=" in entry)
    assert pinned.pop("python") in SpecifierSet(PROJECT["requires-python"])
    for name, pin in pinned.items():
        assert PINS[canonicalize_name(name)] == pin
    (from_pip,) = (entry["pip"] for entry in CONDA["dependencies"] if isinstance(entry, dict))
    assert "--constraint constraints.txt" in from_pip
    (editable,) = (line for line in from_pip if line.startswith("--editable"))
    assert CONDA["name"] == PROJECT["name"]
    (extras,) = re.findall(r"\.\[(.*)\]", editable)
    assert set(extras.split(",")) <= set(EXTRAS)


def test_setup_installs_extras_that_exist():
    (extras,) = re.findall(r'EXTRAS = "(.*)"', (ROOT / "make" / "setup.py").read_text())
    assert set(extras.split(",")) <= set(EXTRAS)


def test_setup_asks_for_the_python_that_the_project_requires():
    oldest = PROJECT["requires-python"].removeprefix(">=")
    script = (ROOT / "make" / "find_python.sh").read_text()
    assert f"({oldest.replace('.', ', ')})" in script
    assert set(re.findall(r"Python (3\.\d+) or newer", script)) == {oldest}


def test_workflows_run_on_supported_pythons():
    assert PYTHONS[0] == PROJECT["requires-python"].removeprefix(">=")
    assert all(python in SpecifierSet(PROJECT["requires-python"]) for python in PYTHONS)


def test_pre_commit_runs_the_same_ruff():
    config = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text())
    hooks = [hook for repo in config["repos"] for hook in repo["hooks"]]
    for hook in hooks:
        assert hook["additional_dependencies"] == [f"ruff=={PINS['ruff']}"]


def test_the_citation_is_of_this_version():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    assert citation["version"] == PROJECT["version"]
    assert [author["name"] for author in citation["authors"]] == [
        author["name"] for author in PROJECT["authors"]
    ]


def test_this_python_is_supported():
    assert platform.python_version() in SpecifierSet(PROJECT["requires-python"])
