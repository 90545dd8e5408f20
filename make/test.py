"""Run every test: the code's, then every notebook against its stored outputs."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PYTEST = [sys.executable, "-m", "pytest", "-n", "2"]
SUITES = {
    "the code": [*PYTEST, "--dist", "loadgroup", "tests"],
    "the notebooks": [*PYTEST, "--dist", "loadscope", "--nbval", "--nbval-current-env", "book"],
}


def main() -> int:
    # Two workers with one thread each: more threads than cores slow each other down.
    environment = os.environ | {"OMP_NUM_THREADS": "1"}
    failed = [
        name
        for name, command in SUITES.items()
        if subprocess.run(command, cwd=ROOT, env=environment).returncode != 0
    ]
    if failed:
        print(f"Tests of {' and '.join(failed)} failed.", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
