"""Is a release known to be the latest as long as nothing has changed, and only then?"""

import json
import sqlite3

import pytest

from autograder.release.latest import Latest

MADE_FROM = ("book/01-one.ipynb", "solutions/one/reference.py", "autograder/check.py")


@pytest.fixture
def root(tmp_path):
    """As much of a repository as is hashed."""
    for name in (
        "book/01-one.ipynb",
        "solutions/one/reference.py",
        "autograder/check.py",
        "pyproject.toml",
    ):
        path = tmp_path / "root" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)
    return tmp_path / "root"


@pytest.fixture
def course(tmp_path):
    """As much of a release as is looked at."""
    course = tmp_path / "course"
    files = {
        "manifest.json": "{}",
        "release/01-one/01-one.ipynb": "{}",
        "student/README.md": "read me",
        ".release/recordings/one.json": "[]",
        ".release/files.json": json.dumps({"student/README.md": "its hash"}),
    }
    for name, text in files.items():
        path = course / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    with sqlite3.connect(course / "gradebook.db") as database:
        database.execute("CREATE TABLE assignment (name TEXT)")
        database.execute("INSERT INTO assignment VALUES ('01-one')")
    return course


@pytest.fixture
def latest(root, course):
    latest = Latest(course, course / ".release", root)
    assert not latest.stands()
    latest.note()
    assert latest.stands()
    return latest


@pytest.mark.parametrize(
    "changed",
    [
        "book/01-one.ipynb",
        "solutions/one/reference.py",
        "autograder/check.py",
        "book/new.md",
        "_config.yml",
    ],
)
def test_what_it_is_made_from_counts(latest, root, changed):
    (root / changed).write_text("changed")
    assert not latest.stands()


@pytest.mark.parametrize(
    "changed", ["manifest.json", "release/01-one/01-one.ipynb", ".release/recordings/one.json"]
)
def test_what_it_made_counts(latest, course, changed):
    (course / changed).write_text("changed")
    assert not latest.stands()


def test_a_file_that_is_gone_counts_and_one_that_was_edited_does_not(latest, course):
    (course / "student" / "README.md").write_text("somebody's notes")
    assert latest.stands()
    (course / "student" / "README.md").unlink()
    assert not latest.stands()


@pytest.mark.parametrize("gone", ["the chapter", "the gradebook"])
def test_a_chapter_that_the_gradebook_does_not_have_counts(latest, course, gone):
    if gone == "the gradebook":
        (course / "gradebook.db").unlink()
        assert not latest.stands() and not (course / "gradebook.db").exists()
    else:
        with sqlite3.connect(course / "gradebook.db") as database:
            database.execute("DELETE FROM assignment")
    assert not latest.stands()


def test_a_release_that_has_begun_is_none(latest):
    latest.forget()
    assert not latest.stands()
