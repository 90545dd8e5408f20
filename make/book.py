"""Build the book, every warning an error: a line on the terminal, the rest in build/book.log.

Only pages whose own text changed are written again, if nothing changed that stands on others too.
"""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import time
from importlib.metadata import distributions
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "build" / "book"
LOG = ROOT / "build" / "book.log"
COMMON = ROOT / "build" / ".book-common"

# What other pages may show of a page: headings, labels, numbered things, terms, what it imports.
SHOWN_ELSEWHERE = re.compile(
    r"^#+ .*|^\([^()\s]+\)=.*|^ *[:`]{3,}\{.*|^ *:(?:label|name):.*|\$\$ *\([\w:.-]+\)"
    r"|^from solutions.*",
    re.MULTILINE,
)


def main() -> int:
    started = time.monotonic()
    common = fingerprint()
    # Sphinx rewrites only the pages that changed, and the table of contents stands on all of them.
    if not COMMON.exists() or COMMON.read_text() != common:
        shutil.rmtree(BUILD, ignore_errors=True)
    COMMON.unlink(missing_ok=True)
    LOG.parent.mkdir(exist_ok=True)
    command = [ROOT / ".venv" / "bin" / "jupyter-book", "build", "book/"]
    command += ["--config", "_config.yml", "--path-output", "build/book", "-W", "-n"]
    command += ["--keep-going"]
    with LOG.open("w") as log:
        environment = os.environ | {"NO_COLOR": "1", "PYTHONIOENCODING": "utf-8"}
        code = subprocess.run(
            command, cwd=ROOT, env=environment, stdout=log, stderr=subprocess.STDOUT
        ).returncode
    if code == 0:
        COMMON.write_text(common)
        pages = len(list((BUILD / "_build" / "html").glob("*.html")))
        seconds = time.monotonic() - started
        print(f"The book is built: {pages} pages in build/book/_build/html ({seconds:.0f} s).")
        return 0
    # A page with a warning counts as read: the next build would not warn again.
    output = re.sub(r"\x1b\[[0-9;]*m", "", LOG.read_text(errors="replace")).splitlines()
    telling = [line for line in output if re.search(r"\b(WARNING|ERROR|CRITICAL)\b", line)]
    print(*(telling or output[-15:]), sep="\n", file=sys.stderr)
    print("The book was not built; build/book.log has the whole account.", file=sys.stderr)
    return 1


def fingerprint() -> str:
    """A hash of all that more than one page depends on."""
    digest = hashlib.sha256()
    book = ROOT / "book"
    pages = {*book.glob("*.md"), *book.glob("*.ipynb")}
    files = {path for path in book.rglob("*") if path.is_file() and "__pycache__" not in path.parts}
    solutions = [
        *(ROOT / "solutions").glob("*/reference.py"),
        *(ROOT / "solutions").glob("*/check.py"),
    ]
    references = {*solutions, ROOT / "_config.yml", Path(__file__)}
    references |= set((ROOT / "autograder" / "release").rglob("*.py"))  # the stubs
    for path in sorted(files | references):
        text = path.read_bytes()
        if path in pages:
            text = "\n".join(SHOWN_ELSEWHERE.findall(prose(path))).encode()
        digest.update(f"{path.relative_to(ROOT)} {len(text)}\n".encode() + text)
    versions = sorted(f"{package.name} {package.version}" for package in distributions())
    return hashlib.sha256(digest.digest() + "\n".join(versions).encode()).hexdigest()


def prose(path: Path) -> str:
    """The text of a page: of a notebook, its cells without their outputs."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".md":
        # The glossary's terms are linked from everywhere.
        return re.sub(r"^(?=\w)", "# ", text, flags=re.MULTILINE) if "{glossary}" in text else text
    return "\n".join("".join(cell["source"]) for cell in json.loads(text)["cells"])


if __name__ == "__main__":
    sys.exit(main())
