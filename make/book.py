"""Build the book, every warning an error: a line on the terminal, the rest in build/book.log."""

import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "build" / "book"
LOG = ROOT / "build" / "book.log"


def main() -> int:
    started = time.monotonic()
    command = [ROOT / ".venv" / "bin" / "jupyter-book", "build", "book/"]
    command += [
        "--config",
        "_config.yml",
        "--path-output",
        "build/book",
        "-W",
        "-n",
        "--keep-going",
    ]
    LOG.parent.mkdir(exist_ok=True)
    # Sphinx rewrites only the pages that changed, and the table of contents stands on all of them.
    shutil.rmtree(BUILD, ignore_errors=True)
    with LOG.open("w") as log:
        environment = os.environ | {"NO_COLOR": "1", "PYTHONIOENCODING": "utf-8"}
        code = subprocess.run(
            command, cwd=ROOT, env=environment, stdout=log, stderr=subprocess.STDOUT
        ).returncode
    if code == 0:
        pages = len(list((BUILD / "_build" / "html").glob("*.html")))
        seconds = time.monotonic() - started
        print(f"The book is built: {pages} pages in build/book/_build/html ({seconds:.0f} s).")
        return 0
    output = re.sub(r"\x1b\[[0-9;]*m", "", LOG.read_text(errors="replace")).splitlines()
    telling = [line for line in output if re.search(r"\b(WARNING|ERROR|CRITICAL)\b", line)]
    print(*(telling or output[-15:]), sep="\n", file=sys.stderr)
    print("The book was not built; build/book.log has the whole account.", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
