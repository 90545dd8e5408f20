"""What is given to be mended: does it carry its misconception, and can it be mended?"""

import json

import pytest

from autograder.checking import exercises
from autograder.diagnosis.judge import judge
from autograder.diagnosis.recording import live
from autograder.release.debugging_exercises import DebuggingExercises, as_given
from autograder.release.references import References
from autograder.remote.calling import Home
from tests.content.published import BOOK
from tests.content.test_checks import lifted

MENDS = [
    name
    for name, exercise in exercises().items()
    if exercise.mend and (BOOK / f"{exercise.chapter}.ipynb").exists()
]


@pytest.mark.parametrize("name", MENDS)
def test_as_it_is_given_it_is_not_mended(name):
    exercise = exercises()[name]
    assert exercise.planted, f"{exercise.reference} has no misconception {exercise.mend!r}"
    given = as_given(
        DebuggingExercises(References(BOOK.parent / "solutions")).with_misconception(
            exercise.module, name
        ),
        name,
    )
    thing = lifted(name, given, exercise.reference)
    for seed in range(10):
        verdict = judge(name, Home({name: thing}), live(exercise), seed)
        assert (verdict.status, verdict.points) == ("not mended", 0.0), verdict.message


@pytest.mark.parametrize("name", MENDS)
def test_the_chapter_has_it_with_the_same_points(name):
    exercise = exercises()[name]
    cells = json.loads((BOOK / f"{exercise.chapter}.ipynb").read_text(encoding="utf-8"))["cells"]
    by_id = {cell["metadata"].get("nbgrader", {}).get("grade_id"): cell for cell in cells}
    bound = "" if name == exercise.reference else f" as {name}"
    wanted = f"from solutions.{exercise.module} import {exercise.reference}{bound}"
    assert "".join(by_id[name]["source"]) == wanted
    assert by_id[f"check-{name}"]["metadata"]["nbgrader"]["points"] == exercise.points
