"""Does a release keep what others put or changed in its folders, byte for byte, and name it?"""

import hashlib
from pathlib import Path

import pytest

from autograder.release.build import release
from autograder.release.own_files import OwnFiles


@pytest.fixture
def put(tmp_path):
    """Puts texts into `student/` as a release does; returns what it says."""

    def put(how="beside", **texts):
        sources = {}
        for name, text in texts.items():
            sources[f"{name}.ipynb"] = tmp_path / f"new-{name}"
            sources[f"{name}.ipynb"].write_text(text)
        files = OwnFiles(tmp_path / "course", tmp_path / "course" / ".release" / "files.json")
        getattr(files, how)("student", sources)
        return files.notes

    return put


def texts(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in sorted(folder.iterdir())}


def test_own_files_are_replaced_and_removed_without_a_word(put, tmp_path):
    assert put(one="1", two="2") == []
    assert put(one="1'") == []
    assert texts(tmp_path / "course" / "student") == {"one.ipynb": "1'"}


def test_what_was_changed_stays_and_the_new_version_goes_beside_it(put, tmp_path):
    student = tmp_path / "course" / "student"
    put(one="1", two="2")
    (student / "one.ipynb").write_text("my work")
    (student / "notes.txt").write_text("mine")
    assert put(one="1", two="2'") == []  # their version is the newest
    (note,) = put(one="1'", two="2'")
    assert "one.ipynb was changed and stays as it is" in note and "one.new.ipynb" in note
    put(one="1''")  # the last new version was not touched: it is replaced
    assert texts(student) == {
        "notes.txt": "mine",
        "one.ipynb": "my work",
        "one.new.ipynb": "1''",
    }
    (student / "one.new.ipynb").write_text("more work")
    put(one="1'''")
    assert texts(student)["one.new.ipynb"] == "more work"
    assert texts(student)["one.new-2.ipynb"] == "1'''"


def test_what_was_there_before_the_first_release_stays(put, tmp_path):
    student = tmp_path / "course" / "student"
    student.mkdir(parents=True)
    (student / "one.ipynb").write_text("of another course")
    (student / "two.ipynb").symlink_to(tmp_path / "elsewhere")
    (student / "three.ipynb").mkdir()
    assert len(put(one="1", two="2", three="3")) == 3
    assert (student / "one.ipynb").read_text() == "of another course"
    assert (student / "two.ipynb").is_symlink() and not (tmp_path / "elsewhere").exists()
    assert (student / "three.ipynb").is_dir()
    assert (student / "two.new.ipynb").read_text() == "2"


def test_what_must_be_in_its_place_is_replaced_and_the_changed_file_kept(put, tmp_path):
    student, kept = tmp_path / "course" / "student", tmp_path / "course" / "kept" / "student"
    put("instead", one="1")
    for number in range(2):
        (student / "one.ipynb").write_text(f"changed {number}")
        (note,) = put("instead", one="1")
        assert "is kept in" in note
    assert texts(student) == {"one.ipynb": "1"}
    assert texts(kept) == {"one-2.ipynb": "changed 1", "one.ipynb": "changed 0"}


def tree(folder: Path) -> dict[str, str]:
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in folder.rglob("*")
        if path.is_file()
    }


@pytest.mark.slow
def test_a_release_loses_nothing_in_and_beside_its_course(tiny_with_tools, tmp_path):
    """The home folder of a teacher and learner, in which `course` is released twice."""
    home = tmp_path / "home"
    foreign = ["student/thesis.tex", "recordings/lecture-1.wav", "attention-course-student.zip"]
    foreign += ["course/student/notes.txt", "course/recordings/talk.wav"]
    foreign += ["course/release/03-tiny/handout.pdf", "course/source/03-tiny/data.csv"]
    foreign += ["course/.release/recordings/mine.txt"]
    for name in foreign:
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_text(f"this is {name}")
    before = tree(home)
    course = home / "course"
    first = release(root=tiny_with_tools, course=course)
    assert (first.bundle, first.notes) == (course / "attention-course-student.zip", [])
    # what lies beside the source is handed out, as nbgrader does
    assert (course / "release" / "03-tiny" / "data.csv").read_text().endswith("data.csv")

    work = {name: course / name / "03-tiny.ipynb" for name in ("student", "source/03-tiny")}
    work["release"] = course / "release" / "03-tiny" / "03-tiny.ipynb"
    texts = {}
    for name, path in work.items():
        texts[name] = path.read_text().replace("raise NotImplementedError", "return 1")
        texts[name] += "\n"
        path.write_text(texts[name])
    path = tiny_with_tools / "book" / "03-tiny.ipynb"
    path.write_text(path.read_text().replace("Over n.", "Over all n."))
    again = release(root=tiny_with_tools, course=course)
    assert again.built == ["03-tiny"] and len(again.notes) == 3

    after = tree(home)
    assert {name: after.get(name) for name in before} == before
    assert work["student"].read_text() == texts["student"]
    assert "Over all n." in work["student"].with_name("03-tiny.new.ipynb").read_text()
    for name in ("source", "release"):
        kept = course / "kept" / name / "03-tiny" / "03-tiny.ipynb"
        assert kept.read_text() == texts.get(name, texts["source/03-tiny"])
        assert "Over all n." in (course / name / "03-tiny" / "03-tiny.ipynb").read_text()
    assert release(root=tiny_with_tools, course=course).notes == []
