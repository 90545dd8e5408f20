"""Put the site together, build/site: the book, its PDF, the notebooks, the bundle and its wheel.

`build/site/student` is what the repository's branch `student` holds too, for Colab and Binder.
"""

import re
import shutil
import sys
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "build"
SITE = BUILD / "site"


def main() -> int:
    shutil.rmtree(SITE, ignore_errors=True)
    shutil.copytree(BUILD / "book" / "_build" / "html", SITE)
    shutil.copytree(BUILD / "student", SITE / "student")
    shutil.copy(BUILD / "attention-course-student.zip", SITE / "student")
    shutil.copy(BUILD / "attention-step-by-step.pdf", SITE)
    (SITE / ".nojekyll").touch()  # GitHub Pages would leave out what begins with an underscore
    if missing := sorted(promised() - here()):
        print(f"The pages link to what the site does not have: {', '.join(missing)}.")
        return 1
    size = sum(path.stat().st_size for path in SITE.rglob("*") if path.is_file())
    print(f"The site is in {SITE.relative_to(ROOT)} ({size / 1e6:.0f} MB).")
    return 0


def promised() -> set[str]:
    """What the pages link to by the site's own address."""
    config = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))
    address = re.escape(config["html"]["baseurl"].rstrip("/") + "/")
    pages = "".join(page.read_text(encoding="utf-8") for page in SITE.glob("*.html"))
    return set(re.findall(rf'href="{address}([^"#?]+)', pages))


def here() -> set[str]:
    return {path.relative_to(SITE).as_posix() for path in SITE.rglob("*") if path.is_file()}


if __name__ == "__main__":
    sys.exit(main())
