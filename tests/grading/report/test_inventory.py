"""What a class gained: read from what it handed in, reckoned as Hake has it, and never counted."""

import csv
import json
import re
from pathlib import Path

import nbformat
import numpy as np
import pytest
from scipy.stats import bootstrap

from autograder.cli import main
from autograder.grading.course.folder import Submission
from autograder.grading.report.inventory import survey_inventory
from autograder.release.build import release

TWO = [
    {"text": "?", "choices": [{"text": "yes", "right": True}, {"text": "no", "right": False}]},
    {"text": "!", "choices": [{"text": "no", "right": False}, {"text": "yes", "right": True}]},
]
SCORES = [(5, 12), (8, 15), (3, 14), (10, 11), (6, 18), (9, 16), (4, 9), (7, 17)]


def handed_in(folder: Path, student: str, *sources: str) -> Submission:
    place = folder / student / "inventory"
    place.mkdir(parents=True)
    notebook = nbformat.v4.new_notebook(cells=list(map(nbformat.v4.new_code_cell, sources)))
    nbformat.write(notebook, place / "inventory.ipynb")
    return Submission(student, "inventory", place)


def test_is_the_gain_the_share_of_what_was_missing(tmp_path):
    """By hand: one of four right before, three of four after, so two of three were gained."""
    found = survey_inventory(
        TWO,
        [
            handed_in(
                tmp_path,
                "ada",
                'inventory(1, before="a", after="A ")',
                'inventory(2, before="a", after="b")',
            ),
            handed_in(
                tmp_path,
                "bo",
                'inventory(1, "b", "b")',
                'x = 1\ninventory(2, before="", after="b")',
            ),
            handed_in(tmp_path, "cy", 'inventory(1, before="a", after="")'),
        ],
    )
    assert (found.scores, found.once) == ([(1, 2), (0, 1)], 1)
    assert (found.before, found.after, found.gain) == (0.25, 0.75, pytest.approx(2 / 3))
    assert [(one.before, one.after, one.wrong_choice) for one in found.questions] == [
        (1, 1, "no"),
        (0, 2, ""),
    ]


def test_is_the_interval_that_of_another_bootstrap(tmp_path):
    asked = TWO[:1] * 20
    submissions = [
        handed_in(
            tmp_path,
            f"student-{n}",
            *(
                f'inventory({k}, before="{"ab"[k > before]}", after="{"ab"[k > after]}")'
                for k in range(1, 21)
            ),
        )
        for n, (before, after) in enumerate(SCORES)
    ]
    found = survey_inventory(asked, submissions)
    assert found.scores == SCORES

    def gain(before, after, axis=-1):
        return (after.mean(axis) - before.mean(axis)) / (20 - before.mean(axis))

    columns = tuple(np.array(SCORES, float).T)
    wanted = bootstrap(
        columns, gain, paired=True, method="percentile", rng=np.random.default_rng(1)
    ).confidence_interval
    assert found.gain == pytest.approx(gain(*columns))
    assert found.interval == pytest.approx((wanted.low, wanted.high), abs=0.01)
    assert found.interval == found.interval  # the same students, the same interval


@pytest.mark.parametrize(
    "source",
    [
        'print(inventory(1, before="a", after="a"))',
        "inventory(1, before=__import__('os'), after=chr(97))",
        "inventory(one, before='a', after='a')",
        "inventory(True, 'a', 'a'",
        "inventory(99, 'a', 'a')",
        "(" * 5000,
    ],
)
def test_is_nothing_run_of_what_is_handed_in(tmp_path, source):
    found = survey_inventory(TWO, [handed_in(tmp_path, "eve", source)])
    assert sum(one.after for one in found.questions) == 0


@pytest.mark.slow
def test_goes_the_inventory_through_release_collection_and_report(tmp_path, capsys):
    """And gives no points, and has no column in any export."""
    course = tmp_path / "course"
    release(["00-start-here", "inventory"], course)
    given = course / "release" / "inventory" / "inventory.ipynb"
    listed = json.loads((course / "manifest.json").read_text())["chapters"]["inventory"]
    assert (listed["exercises"], listed["max_points"]) == ([], 0)
    why = listed["inventory"][0]["choices"][0]["why"]
    assert why not in given.read_text()  # no reason before the second time

    rights = ["abcd"[[c["right"] for c in q["choices"]].index(True)] for q in listed["inventory"]]
    for student, known in (("ada", 8), ("bo", 12)):
        notebook = nbformat.read(given, as_version=4)
        for cell in notebook.cells:
            if asked := re.match(r"inventory\((\d+)", cell.source):
                number = int(asked[1])
                right = rights[number - 1]
                before = right if number <= known else ""
                cell.source = f'inventory({number}, before="{before}", after="{right}")'
        folder = course / "submitted" / student / "inventory"
        folder.mkdir(parents=True)
        nbformat.write(notebook, folder / "inventory.ipynb")
    assert main(["grade", "inventory", "--course", str(course), "--workers", "1"]) == 0
    assert main(["report", "--course", str(course)]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "2 answered both times: 50% right before, 100% after; normalized gain 1.00" in said
    page = (course / "report.html").read_text()
    assert "Before and after the course" in page and "50% right before, 100% after" in page
    assert main(["export", "csv", "--course", str(course), "--to", str(tmp_path / "g.csv")]) == 0
    with open(tmp_path / "g.csv", newline="") as file:
        assert {row["assignment"] for row in csv.DictReader(file)} == {"00-start-here"}
