"""Files as students and platforms send them: taken where it is plain what was meant, else named."""

import codecs
import io
import json
import os
import tracemalloc
import zipfile

import nbformat
import pytest

from autograder.errors import Invalid
from autograder.grading.course import handed_in, reading
from autograder.grading.course.folder import Course
from autograder.grading.course.handed_in import means
from autograder.grading.submission.parse import parse

CHAPTERS = ("01-lookup", "02-softmax", "04-attention-layer", "05-self-attention")


def notebook(chapter: str, answer: str = "42", marked: bool = True) -> bytes:
    """A student's notebook of a chapter, with or without the metadata of its cells."""
    check = nbformat.v4.new_code_cell("check()", id="check")
    if marked:
        check.metadata.nbgrader = {"grade_id": f"check-{chapter}", "grade": True}
    cells = [nbformat.v4.new_code_cell(f"answer = {answer}", id="answer"), check]
    return nbformat.writes(nbformat.v4.new_notebook(cells=cells)).encode()


@pytest.fixture
def course(tmp_path):
    entries = {name: {"exercises": [{"check_grade_id": f"check-{name}"}]} for name in CHAPTERS}
    root = tmp_path / "course"
    (root / "submitted").mkdir(parents=True)
    (root / "manifest.json").write_text(json.dumps({"chapters": entries}))
    return Course(root)


def hand_in(course, name: str, content: bytes) -> None:
    path = course.root / "submitted" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


def taken(course) -> dict[tuple[str, str], str]:
    """What is graded: the answer in it, or why nothing is."""
    found = {}
    for one in course.submissions(CHAPTERS):
        try:
            content = one.read()
            source = json.loads(content)["cells"][0]["source"] if content else ["nothing"]
            found[one.student, one.chapter] = "".join(source)
        except Invalid as problem:
            found[one.student, one.chapter] = str(problem)
    return found


ENCODINGS = ("utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32")
MARKED_BE = "utf-16-be with its mark"


@pytest.mark.parametrize("packed", [True, False])
@pytest.mark.parametrize("encoding", [*ENCODINGS, MARKED_BE])
def test_a_notebook_is_read_in_whatever_encoding_an_editor_saved_it(course, encoding, packed):
    """Those that JSON may have (RFC 4627), as Python's own json tells them apart."""
    text = notebook("02-softmax", answer="'größer ≥ 0'").decode()
    content = text.encode(encoding.split()[0])
    if encoding == MARKED_BE:
        content = codecs.BOM_UTF16_BE + content
    name = "ada/homework.zip" if packed else "ada/Untitled.ipynb"
    hand_in(course, name, zipped(**{"Untitled.ipynb": content}) if packed else content)
    assert taken(course) == {("ada", "02-softmax"): "answer = 'größer ≥ 0'"}
    (one,) = course.submissions(CHAPTERS)
    assert len(parse(one.read()).cells) == 2


def test_a_notebook_too_large_to_be_told_from_another_encoding_is_said(course, monkeypatch):
    monkeypatch.setattr(reading, "LARGEST_NOTEBOOK", 400)
    hand_in(
        course, "ada/02-softmax/02-softmax.ipynb", notebook("02-softmax").decode().encode("utf-16")
    )
    said = "the notebook is saved in utf-16 and has more than 1 MiB; save it as UTF-8"
    assert taken(course) == {("ada", "02-softmax"): said}


def test_no_text_in_any_encoding_is_for_the_parser_to_say(course):
    content = codecs.BOM_UTF16_LE + b"\x00\xd8"  # half a character
    hand_in(course, "ada/02-softmax/02-softmax.ipynb", content)
    (one,) = course.submissions(CHAPTERS)
    with pytest.raises(Invalid, match="not UTF-8 text"):
        parse(one.read() or b"")


@pytest.mark.parametrize(
    "member",
    [
        "../02-softmax.ipynb",
        "../../etc/ada/Chapter 2/work.ipynb",
        "./02-softmax.ipynb",
        "/etc/ada/02-softmax.ipynb",
        "..\\02-softmax\\work.ipynb",
    ],
)
def test_a_zip_whose_names_lead_out_of_it_is_read_and_nothing_is_written(course, member):
    before = sorted(course.root.parent.rglob("*"))
    hand_in(course, "ada/homework.zip", zipped(**{member: notebook("02-softmax", marked=False)}))
    assert taken(course) == {("ada", "02-softmax"): "answer = 42"}
    assert course.strays() == []
    written = {path.name for path in sorted(course.root.parent.rglob("*")) if path not in before}
    assert written == {"ada", "homework.zip"}


@pytest.mark.parametrize("marked", [True, False])
@pytest.mark.parametrize(
    "name",
    [
        "02-softmax/02-softmax.ipynb",
        "02-softmax/02-softmax (1).ipynb",
        "02-softmax/02-softmax-Copy1.ipynb",
        "02-softmax/02_softmax.ipynb",
        "02-softmax/lovelace_02-softmax.ipynb",
        "02-softmax/Untitled.ipynb",
        "02-softmax/homework/02-softmax.ipynb",
        "02-softmax.ipynb",
        "Lovelace 02 Softmax final.ipynb",
        "softmax.ipynb",
        "Chapter 2/notebook.ipynb",
        "chapter_02/02-softmax.ipynb",
        "ch2/work.ipynb",
        "02/work.ipynb",
        "02-softmax.ipynb.txt",
        "ADA/Course/02-SOFTMAX.IPYNB",
        "lovelaceada_LATE_12345_678_02-softmax-1.ipynb",
    ],
)
def test_a_plain_name_is_taken(course, name, marked):
    hand_in(course, f"ada/{name}", notebook("02-softmax", marked=marked))
    assert taken(course) == {("ada", "02-softmax"): "answer = 42"}
    assert course.strays() == []


@pytest.mark.parametrize("name", ["Untitled.ipynb", "hw/3.ipynb", "Chapter 1/work.ipynb"])
def test_what_a_notebook_is_shows_in_its_cells_first(course, name):
    hand_in(course, f"ada/{name}", notebook("02-softmax"))
    assert taken(course) == {("ada", "02-softmax"): "answer = 42"}


def zipped(**files: bytes) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return packed.getvalue()


@pytest.mark.parametrize("name", ["02-softmax/work.zip", "all.zip"])
def test_a_zip_is_looked_into(course, name):
    inside = {"a/02-softmax.ipynb": notebook("02-softmax"), "__MACOSX/._02-softmax.ipynb": b"x"}
    inside |= {".ipynb_checkpoints/02-softmax-checkpoint.ipynb": notebook("02-softmax", "1")}
    hand_in(course, f"ada/{name}", zipped(**inside))
    assert taken(course)["ada", "02-softmax"] == "answer = 42"
    assert course.strays() == []
    assert len(list((course.root / "submitted").rglob("*"))) == 1 + name.count("/") + 1


def test_several_chapters_one_level_up_are_told_apart(course):
    for number, chapter in enumerate(CHAPTERS):
        hand_in(course, f"ada/{chapter}.ipynb", notebook(chapter, str(number), marked=False))
    assert taken(course) == {
        ("ada", chapter): f"answer = {number}" for number, chapter in enumerate(CHAPTERS)
    }


def test_of_several_the_one_with_the_right_name_counts_and_the_others_are_named(course):
    hand_in(course, "ada/02-softmax/02-softmax.ipynb", notebook("02-softmax"))
    hand_in(course, "ada/02-softmax/02-softmax (1).ipynb", notebook("02-softmax", "1"))
    (one,) = course.submissions(CHAPTERS)
    assert taken(course) == {("ada", "02-softmax"): "answer = 42"}
    assert "not 02-softmax/02-softmax (1).ipynb" in one.note


def test_copies_of_one_another_are_one(course):
    hand_in(course, "ada/02-softmax (1).ipynb", notebook("02-softmax"))
    hand_in(course, "ada/02-softmax (2).ipynb", notebook("02-softmax"))
    assert taken(course) == {("ada", "02-softmax"): "answer = 42"}


def test_many_large_notebooks_are_read_up_to_a_bound_and_the_rest_is_told(course, monkeypatch):
    monkeypatch.setattr(handed_in, "MOST_BYTES", 2**20)
    large = {f"{n:02}.ipynb": notebook("04-attention-layer", f"'{n:0100000}'") for n in range(40)}
    hand_in(course, "ada/all.zip", zipped(**large))
    hand_in(course, "ada/02-softmax/02-softmax.ipynb", notebook("02-softmax", f"'{0:01000000}'"))
    looked_at = []
    cut = reading.without_outputs
    monkeypatch.setattr(
        handed_in, "without_outputs", lambda content: looked_at.append(len(content)) or cut(content)
    )
    told = taken(course)
    assert told["ada", "02-softmax"].startswith("answer = '0")  # its own name, whatever is beside
    assert 0 < sum(looked_at) <= 2**20
    (stray,) = course.strays()
    assert "all.zip/10.ipynb, all.zip/11.ipynb, all.zip/12.ipynb and 27 more not looked at" in stray


def test_what_is_looked_at_is_not_kept(course):
    large = {f"{n:02}.ipynb": notebook("02-softmax", f"'{n:01000000}'") for n in range(40)}
    hand_in(course, "ada/all.zip", zipped(**large))
    tracemalloc.start()
    told = taken(course)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert "there are 40 different notebooks" in told["ada", "02-softmax"]
    assert most < 10**7  # of 40 MB


def test_what_is_not_plain_is_named_and_not_guessed(course):
    hand_in(course, "ada/02-softmax (1).ipynb", notebook("02-softmax", "1"))
    hand_in(course, "ada/02-softmax (2).ipynb", notebook("02-softmax", "2"))
    hand_in(course, "bob/essay.ipynb", notebook("02-softmax", marked=False))
    hand_in(course, "eve/02-softmax/work.zip", b"PK\3\4 broken")
    hand_in(course, "02-softmax.ipynb", notebook("02-softmax"))
    hand_in(course, "02-softmax/ada/02-softmax.ipynb", notebook("02-softmax"))
    told = taken(course)
    assert "there are 2 different notebooks" in told.pop(("ada", "02-softmax"))
    assert told == {("eve", "02-softmax"): "nothing"}
    assert course.strays() == [
        "submitted/02-softmax has a chapter's name: the folders there are the students'",
        "submitted/02-softmax.ipynb is in no student's folder",
        "submitted/bob/essay.ipynb does not show which chapter it is",
        "submitted/eve/02-softmax/work.zip cannot be unpacked",
    ]


def test_links_and_pipes_are_not_followed(course, tmp_path):
    secret = tmp_path / "secret" / "02-softmax.ipynb"
    secret.parent.mkdir()
    secret.write_bytes(notebook("02-softmax"))
    student = course.root / "submitted" / "ada"
    (student / "02-softmax").mkdir(parents=True)
    (student / "02-softmax" / "work.ipynb").symlink_to(secret)
    (student / "Chapter 2").symlink_to(secret.parent)
    os.mkfifo(student / "02-softmax (1).ipynb")
    (student / "02-softmax" / "work.zip").symlink_to(secret)
    assert taken(course) == {("ada", "02-softmax"): "the notebook is not a plain file"}


def test_the_time_stamp_may_lie_above_the_notebook(course):
    hand_in(course, "ada/02-softmax/hw/softmax.ipynb", notebook("02-softmax"))
    hand_in(course, "ada/02-softmax/timestamp.txt", b"2026-10-12 21:58:03 UTC")
    (one,) = course.submissions(CHAPTERS)
    assert one.came.when.minute == 58


def test_late_in_a_name_is_said_and_no_time_is_guessed(course):
    name = "ada/02-softmax/lovelaceada_LATE_12345_678_02-softmax.ipynb"
    hand_in(course, name, notebook("02-softmax"))
    (one,) = course.submissions(CHAPTERS)
    assert one.came.when is None and "is late by its file's name" in one.came.problem


@pytest.mark.parametrize(
    ("name", "chapters"),
    [
        ("self-attention", ["05-self-attention"]),
        ("attention layer", ["04-attention-layer"]),
        ("3-softmax", []),
        ("softmax 2", ["02-softmax"]),
        ("attention", []),
        ("week 2", []),
        ("2", ["02-softmax"]),
        ("Chapter 2", ["02-softmax"]),
        ("12", []),
        ("chapter 2 and 4", []),
        ("", []),
        ("-", []),
    ],
)
def test_a_name_means_a_chapter_only_where_it_says_so(name, chapters):
    assert [chapter for chapter in CHAPTERS if means(name, chapter)] == chapters


def test_a_chapter_without_a_number_is_meant_by_its_words():
    assert means("My Inventory", "inventory")
    assert not means("essay", "inventory") and not means("Chapter 2", "inventory")
