"""Does every command that a page tells the reader to run exist, and does `make help` list it?"""

import hashlib
import importlib.util
import json
import re
import sqlite3
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
MAKEFILE = (ROOT / "Makefile").read_text()
PUBLIC = set(re.search(r"^\.PHONY: (.*)$", MAKEFILE, re.MULTILINE)[1].split())
PAGES = ["README.md", "CONTRIBUTING.md", "SECURITY.md", "make/summary.py", ".ci/run"]


def sha256(content: bytes) -> str:
    """As the release notes it: of the length and the content."""
    return hashlib.sha256(len(content).to_bytes(8, "big") + content).hexdigest()


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


@pytest.fixture
def built(tmp_path):
    """A build/ with a book and two courses, as the commands leave it."""
    build = tmp_path / "build"
    (build / "book" / "_build" / "html").mkdir(parents=True)
    for name in (".book", ".release", "book/_build/html/index.html"):
        (build / name).touch()
    (build / "latest").symlink_to("book")
    student = build / "course" / "student" / "01-lookup.ipynb"
    student.parent.mkdir(parents=True)
    student.write_text("released")
    record = build / "course" / ".release" / "files.json"
    record.parent.mkdir()
    content = student.read_bytes()
    record.write_text(json.dumps({"student/01-lookup.ipynb": sha256(content)}))
    (build / "course" / "manifest.json").touch()
    (build / "course" / "gradebook.db").touch()
    return build


def clean(build):
    return make("-C", str(build.parent), "-f", str(ROOT / "Makefile"), "clean")


def test_clean_removes_all_that_can_be_built_again(built):
    clean(built)
    assert not built.exists()
    clean(built)


def enroll(course):
    with sqlite3.connect(course / "gradebook.db") as connection:
        connection.execute("CREATE TABLE student (id TEXT)")
        connection.execute("INSERT INTO student VALUES ('ada')")


@pytest.mark.parametrize(
    ("work", "said"),
    [
        (lambda course: (course / "submitted").mkdir(), "holds submissions"),
        (lambda course: (course / "student" / "01-lookup.ipynb").write_text("mine"), "student/01"),
        (lambda course: (course / "student" / "notes.txt").touch(), "student/notes.txt"),
        (lambda course: (course / "course.toml").touch(), "course.toml"),
        (lambda course: (course / "nbgrader_config.py").write_text("mine"), "nbgrader_config.py"),
        (enroll, "a gradebook with 1 students"),
    ],
)
def test_clean_leaves_a_course_in_which_somebody_worked(built, work, said):
    course = built / "course"
    work(course)
    before = sorted(course.rglob("*"))
    assert said in clean(built)
    assert sorted(course.rglob("*")) == before
    assert [path.name for path in built.iterdir()] == ["course"]


def test_clean_finds_courses_wherever_they_lie(built):
    """As `--course build/try/course` makes one."""
    (built / "try").mkdir()
    (built / "try" / "notes.txt").touch()
    (built / "course").rename(built / "try" / "course")
    (built / "try" / "course" / "submitted").mkdir()
    assert "try/course holds submissions" in clean(built)
    assert [path.name for path in (built / "try").iterdir()] == ["course"]
    (built / "try" / "course" / "submitted").rmdir()
    clean(built)
    assert not built.exists()


@pytest.mark.parametrize("other", [False, True])
def test_the_sample_class_is_made_anew_but_for_other_peoples_work(tmp_path, monkeypatch, other):
    monkeypatch.syspath_prepend(ROOT / "make")
    import clean as cleaning
    import grade as grading

    monkeypatch.setattr(grading, "ROOT", tmp_path)
    course = tmp_path / "build" / "sample-class"
    (course / "submitted" / "ada").mkdir(parents=True)
    (course / "submitted" / "ada" / "link").symlink_to("/etc/passwd")
    (course / cleaning.SAMPLE_MARK).write_text(cleaning.sample_mark(course))
    if other:
        (course / "submitted" / "me").mkdir()
    grading.make_room(course)
    assert not course.exists()
    kept = tmp_path / "build" / "sample-class-kept-1" / "submitted" / "me"
    assert kept.exists() == other


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
