"""Does every command that a page tells the reader to run exist, and does `make help` list it?"""

import importlib.util
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
MAKEFILE = (ROOT / "Makefile").read_text()
PUBLIC = set(re.search(r"^\.PHONY: (.*)$", MAKEFILE, re.MULTILINE)[1].split())
PAGES = ["README.md", "CONTRIBUTING.md", "SECURITY.md", "make/summary.py", ".ci/run"]


def make(*arguments: str) -> str:
    result = subprocess.run(
        ["make", *arguments], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return result.stdout


def test_help_lists_every_public_target():
    listed = set(re.findall(r"^  make ([a-z-]+) ", make("--no-print-directory", "help"), re.M))
    assert listed | {"all"} == PUBLIC | {"all"}
    assert "  make  " in make("--no-print-directory", "help")


@pytest.mark.parametrize("target", sorted(PUBLIC))
def test_make_knows_how_to(target):
    make("--dry-run", target)


def test_clean_leaves_what_students_handed_in_and_its_scores(tmp_path):
    (tmp_path / "build" / "book").mkdir(parents=True)
    course = tmp_path / "build" / "course"
    course.mkdir()
    (course / "gradebook.db").touch()
    clean = ["-C", str(tmp_path), "-f", str(ROOT / "Makefile"), "clean"]
    (course / "submitted").mkdir()
    assert "build/course holds submissions" in make(*clean)
    assert [path.name for path in (tmp_path / "build").iterdir()] == ["course"]
    assert (course / "gradebook.db").exists()
    (course / "submitted").rmdir()
    make(*clean)
    assert not (tmp_path / "build").exists()
    make(*clean)


@pytest.mark.parametrize("page", PAGES)
def test_the_commands_of_a_page_exist(page):
    text = (ROOT / page).read_text()
    quoted = re.findall(r"(?:^    |`|\"|^)(?:[A-Z_]+=\S+ )*make ([a-z-]+)", text, re.MULTILINE)
    assert set(quoted) <= PUBLIC
    for module in re.findall(r"-m ((?:autograder|tests)[\w.]+)", text):
        assert importlib.util.find_spec(module), f"{page} runs {module}"
    for script in re.findall(r"\bmake/\w+\.(?:py|sh)", text):
        assert (ROOT / script).exists(), f"{page} runs {script}"


@pytest.mark.parametrize("page", [page for page in PAGES if page.endswith(".md")])
def test_the_links_of_a_page_lead_somewhere(page):
    for link in re.findall(r"\]\(([^)#]+)\)", (ROOT / page).read_text()):
        assert link.startswith("https://") or (ROOT / link).exists(), f"{page} links to {link}"
