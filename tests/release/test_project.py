"""The project: handed out, handed in and given its points by hand, with no check and no example."""

import csv
import re

import nbformat
import pytest
from nbgrader.api import Gradebook

from autograder.cells import grade_id
from autograder.cli import main
from autograder.nbgrader_course import YOUR_ANSWER
from autograder.release.build import release
from autograder.release.chapter_cells import kind
from autograder.release.rubrics import main as print_rubrics
from autograder.sandbox.probe import available
from autograder.settings import read_settings
from tests.release.miniature import REPOSITORY
from tests.release.student import complaints, install, run

PROJECT = "project"
PARTS, POINTS = 5, 4


@pytest.fixture(scope="module")
def page():
    return nbformat.read(REPOSITORY / "book" / f"{PROJECT}.ipynb", as_version=4)


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    folder = tmp_path_factory.mktemp("course")
    release(["00-start-here", PROJECT], folder)
    return folder


def text_of(page, cell: str) -> str:
    (text,) = (one.source for one in page.cells if one.id == cell)
    return text


def test_has_each_of_six_questions_a_measure_a_control_and_an_answer(page):
    form = (
        r"^(\d)\. \*\*.{10,}\?\*\* \*Measure:\* .{20,} \*Control:\* .{20,} \*An answer:\* .{20,}$"
    )
    numbers = re.findall(form, text_of(page, "questions"), re.MULTILINE)
    assert numbers == ["1", "2", "3", "4", "5", "6"]


def test_gives_every_part_its_points_with_levels_in_the_rubric(page):
    lines = [line for line in text_of(page, "rubric").split("\n") if line.startswith("|")][2:]
    criteria = [line.strip("|").split("|") for line in lines]
    answers = [cell for cell in page.cells if kind(cell) == "answer"]
    assert len(criteria) == len(answers) == PARTS
    assert all(len(row) == 4 for row in criteria)
    for cell in answers:
        assert cell.metadata.nbgrader.points == POINTS
        assert sum(int(re.match(r"\d+", row)[0]) for row in cell.metadata.rubric) == POINTS


def test_teachers_get_points_rubric_and_example_with_their_numbers(capsys):
    print_rubrics([PROJECT])
    said = capsys.readouterr().out
    assert said.count(f"{POINTS} points") == PARTS and "glue" not in said


@pytest.mark.slow
def test_students_get_the_code_without_the_examples_words_and_it_runs(page, course, tmp_path):
    given = nbformat.read(course / "release" / PROJECT / f"{PROJECT}.ipynb", as_version=4)
    answers = [cell for cell in given.cells if kind(cell) == "answer"]
    assert [cell.source for cell in answers] == [YOUR_ANSWER] * PARTS
    text = "\n".join(cell.source for cell in given.cells)
    assert "class Reader" in text and "from solutions" not in text
    for cell in page.cells:
        if kind(cell) == "answer":
            assert cell.source.split(". ")[0] not in text
    (wheel,) = (course / "student").glob("*.whl")
    install(wheel, tmp_path / "site")
    nbformat.write(given, tmp_path / f"{PROJECT}.ipynb")
    for path in (course / "student").glob("lab/*"):
        (tmp_path / "lab").mkdir(exist_ok=True)
        if path.is_file():
            (tmp_path / "lab" / path.name).write_bytes(path.read_bytes())
    assert complaints(run(tmp_path / f"{PROJECT}.ipynb", tmp_path / "site")) == []


@pytest.mark.slow
@pytest.mark.skipif(available() is not None, reason=str(available()))
def test_goes_it_through_collection_points_by_hand_and_export(course, tmp_path, capsys):
    given = nbformat.read(course / "release" / PROJECT / f"{PROJECT}.ipynb", as_version=4)
    for cell in given.cells:
        if kind(cell) == "answer":
            cell.source = "I measured it."
    folder = course / "submitted" / "ada" / PROJECT
    folder.mkdir(parents=True)
    nbformat.write(given, folder / f"{PROJECT}.ipynb")
    assert main(["grade", PROJECT, "--course", str(course), "--workers", "1"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "wait for a score by hand" in said
    with Gradebook(read_settings(course).gradebook) as book:
        for cell in given.cells:
            if kind(cell) == "answer":
                grade = book.find_grade(grade_id(cell), PROJECT, PROJECT, "ada")
                grade.manual_score, grade.needs_manual_grade = 3, False
        book.db.commit()
    assert main(["export", "csv", "--course", str(course), "--to", str(tmp_path / "g.csv")]) == 0
    with open(tmp_path / "g.csv", newline="") as file:
        (row,) = (row for row in csv.DictReader(file) if row["assignment"] == PROJECT)
    assert (float(row["score"]), float(row["max_score"])) == (PARTS * 3, PARTS * POINTS)
