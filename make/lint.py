"""Check the style and the types of all code; with `--mend` put right what can be, and say the rest.

JavaScript and CSS are looked at where Node is there, which nothing else here needs.
"""

import argparse
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BIOME = ("npx", "--yes", "@biomejs/biome@2.6.8", "lint", "--error-on-warnings")
TYPES = ("npx", "--yes", "--package", "typescript@5.9.3", "tsc", "--project", "make/tsconfig.json")
RUFF = (sys.executable, "-m", "ruff")


def commands(mend: bool, paths: list[str]) -> Iterator[tuple[str, ...]]:
    """What is run, one after the other."""
    if mend:
        yield *RUFF, "check", "--fix-only", "--quiet", *paths
        yield *RUFF, "format", "--quiet", *paths
    yield *RUFF, "check", "--quiet", *paths
    if not mend:
        yield *RUFF, "format", "--check", "--quiet", *paths
        yield sys.executable, "-m", "mypy"
    if shutil.which("npx"):
        yield (*BIOME, "--write") if mend else BIOME
        if not mend:
            yield TYPES
    else:
        print("Node is not here: JavaScript and CSS were not looked at.")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mend", action="store_true")
    parser.add_argument("paths", nargs="*", default=["."])
    options = parser.parse_args()
    codes = [
        subprocess.run(command, cwd=ROOT).returncode
        for command in commands(options.mend, options.paths)
    ]
    return 1 if any(codes) else 0


if __name__ == "__main__":
    sys.exit(main())
