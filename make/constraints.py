"""Write constraints.txt: the version of everything that .venv holds, which nothing else goes into.

To take newer versions: upgrade them in .venv with pip, run `make constraints`, then `make test`.
"""

import sys
import tomllib
from importlib.metadata import distributions
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

ROOT = Path(__file__).resolve().parent.parent
HEADER = "# The tested versions, by `make constraints`. The ranges are in pyproject.toml.\n"


def main() -> int:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    versions = {
        # A local version, as in 2.13.0+cpu, names one build of the release.
        canonicalize_name(package.name): Version(package.version).public
        for package in distributions()
    }
    lists = [project["dependencies"], *project["optional-dependencies"].values()]
    asked = (Requirement(line) for lines in lists for line in lines)
    missing = sorted(
        requirement.name
        for requirement in asked
        if (not requirement.marker or requirement.marker.evaluate())
        and canonicalize_name(requirement.name) not in versions
    )
    if missing:
        print(f"Not installed, so without a tested version: {', '.join(missing)}. To install all:")
        print("  .venv/bin/pip install -c constraints.txt -e '.[cluster,dev,real-model]'")
        return 1
    own = ("pip", project["name"])
    lines = [f"{name}=={versions[name]}\n" for name in sorted(versions) if name not in own]
    (ROOT / "constraints.txt").write_text(HEADER + "".join(lines))
    print(f"constraints.txt has {len(lines)} versions.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
