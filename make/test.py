"""Run every test: the code's, then every notebook against its stored outputs."""

import os
import signal
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PYTEST = [sys.executable, "-m", "pytest", "-n", "2"]
SUITES = {
    "code": [*PYTEST, "--dist", "loadgroup", "-m", "not exhaustive", "tests"],
    "notebooks": [*PYTEST, "--dist", "loadscope", "--nbval", "--nbval-current-env", "book"],
}


def main() -> int:
    # Two workers with one thread each: more threads than cores slow each other down.
    environment = os.environ | {"OMP_NUM_THREADS": "1"}
    troubles = []
    for name, command in SUITES.items():
        code = subprocess.run(command, cwd=ROOT, env=environment).returncode
        if code < 0:
            troubles.append(f"The tests of the {name} were ended by {signal.Signals(-code).name}.")
        elif code:
            troubles.append(f"The tests of the {name} failed.")
    print(*troubles, sep="\n", end="\n" if troubles else "", file=sys.stderr)
    return 1 if troubles else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
