"""Write constraints.txt: the installed version of everything that the project's extras need.

To take newer versions: upgrade them in .venv with pip, run `make constraints`, then `make test`.
"""

import sys
import tomllib
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

ROOT = Path(__file__).resolve().parent.parent
HEADER = "# The tested versions, by `make constraints`. The ranges are in pyproject.toml.\n"


def project_requirements() -> list[Requirement]:
    """What pyproject.toml asks for, with all of its extras."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    lists = [project["dependencies"], *project["optional-dependencies"].values()]
    wanted = [Requirement(line) for lines in lists for line in lines]
    return [requirement for requirement in wanted if requirement.name != project["name"]]


def installed_closure(requirements: list[Requirement]) -> dict[str, str]:
    """Name to version of the requirements and of all that they need in turn, where installed."""
    versions: dict[str, str] = {}
    seen: set[tuple[str, str]] = set()
    todo = [(requirement, "") for requirement in requirements]
    while todo:
        requirement, extra = todo.pop()
        if requirement.marker and not requirement.marker.evaluate({"extra": extra}):
            continue
        name = canonicalize_name(requirement.name)
        try:
            package = distribution(name)
        except PackageNotFoundError:
            continue
        # A local version, as in 2.13.0+cpu, names one build of the release.
        versions[name] = Version(package.version).public
        for asked in ("", *requirement.extras):
            if (name, asked) not in seen:
                seen.add((name, asked))
                todo += [(Requirement(line), asked) for line in package.requires or ()]
    return versions


def main() -> int:
    requirements = project_requirements()
    versions = installed_closure(requirements)
    missing = sorted(
        requirement.name
        for requirement in requirements
        if (not requirement.marker or requirement.marker.evaluate())
        and canonicalize_name(requirement.name) not in versions
    )
    if missing:
        print(f"Not installed, so without a tested version: {', '.join(missing)}. To install all:")
        print("  .venv/bin/pip install -c constraints.txt -e '.[cluster,dev,real-model]'")
        return 1
    lines = [f"{name}=={version}\n" for name, version in sorted(versions.items())]
    (ROOT / "constraints.txt").write_text(HEADER + "".join(lines))
    print(f"constraints.txt has {len(lines)} versions.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
