"""Is every file at all a typed verdict? Noise, made notebooks and changed ones, by seeds."""

import copy
import json
import random
from typing import Any

import nbformat
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autograder.errors import Invalid
from autograder.grading.course.folder import Course
from autograder.grading.course.released import ReleasedChapter
from autograder.grading.report.feedback_page import feedback_page
from autograder.grading.run.grade_submission import grade_submission
from autograder.grading.run.job import Job
from autograder.grading.submission.needed_cells import needed_cells
from autograder.grading.submission.overwrite_cells import restored
from autograder.grading.submission.parse import parse
from autograder.grading.submission.quote_text_cells import quote_text_cells
from autograder.sandbox.fork_server import end
from autograder.sandbox.limits import Limits
from tests.attacks.corpus import CHAPTER, EXERCISES, solved, write_course
from tests.sandboxed import needs_sandbox

LIMITS = Limits(seconds=10, memory_bytes=512 * 2**20)
STATUSES = {"graded", "timeout", "memory", "crashed", "invalid", "missing"}
VERDICTS = {"passed", "failed", "not started", "missing", "timeout", "memory", "crashed"}
SOLVED = json.loads(json.dumps(solved()))


@pytest.fixture(scope="module")
def chapter(tmp_path_factory) -> ReleasedChapter:
    """The released chapter of the corpus."""
    course: Course = write_course(tmp_path_factory.mktemp("fuzz") / "course")
    return course.chapters()[CHAPTER]


def read_and_restored(content: bytes, chapter: ReleasedChapter) -> None:
    """All that happens to a notebook on the trusted side; Invalid is the only exception."""
    try:
        notebook = parse(content)
    except Invalid as invalid:
        assert str(invalid) and "\n" not in str(invalid)
        return
    notes = restored(notebook, chapter)
    assert len(notes) <= 100 and all(isinstance(note, str) for note in notes)
    marked = [cell.metadata.get("nbgrader", {}).get("grade_id") for cell in notebook.cells]
    assert {f"check-{name}" for name in EXERCISES} <= set(marked)
    assert needed_cells(notebook, chapter) <= set(range(len(notebook.cells)))
    quote_text_cells(notebook, chapter)
    nbformat.validate(notebook)
    json.dumps(notebook, ensure_ascii=False).encode()
    record = {"student": "x", "chapter": CHAPTER, "score": 0, "max_score": 1, "status": "graded"}
    feedback_page(record | {"notes": notes}, [], notebook).encode()


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(st.characters(), max_size=8)
    | st.sampled_from([*EXERCISES, "check-double", "code", "markdown", "raw", "nbgrader"]),
    lambda items: (
        st.lists(items, max_size=4)
        | st.dictionaries(st.sampled_from(["grade_id", "points", "a"]) | st.text(max_size=4), items)
    ),
    max_leaves=8,
)
cell_values = st.fixed_dictionaries(
    {},
    optional={
        "cell_type": st.sampled_from(["code", "markdown", "raw"]) | json_values,
        "source": st.text(st.characters(), max_size=40)
        | st.lists(st.text(max_size=9))
        | json_values,
        "metadata": st.fixed_dictionaries(
            {}, optional={"nbgrader": json_values, "tags": json_values}
        )
        | json_values,
        "outputs": json_values,
        "id": json_values,
    },
)
notebook_values = st.fixed_dictionaries(
    {},
    optional={
        "cells": st.lists(cell_values | json_values, max_size=6) | json_values,
        "nbformat": st.sampled_from([1, 2, 3, 4, 5]) | json_values,
        "nbformat_minor": st.integers(0, 9) | json_values,
        "metadata": json_values,
        "worksheets": st.lists(st.fixed_dictionaries({"cells": st.lists(cell_values)}))
        | json_values,
    },
)


def fuzzed(strategy: Any, examples: int, ask: Any) -> None:
    """Ask of that many examples, the same ones in every run."""

    @given(strategy)
    @settings(max_examples=examples, deadline=None, derandomize=True, database=None)
    def run(example: Any) -> None:
        ask(example)

    run()


def made(chapter: ReleasedChapter, examples: int) -> None:
    strategy = notebook_values | json_values
    fuzzed(strategy, examples, lambda v: read_and_restored(json.dumps(v).encode(), chapter))


def noise(chapter: ReleasedChapter, examples: int) -> None:
    fuzzed(st.binary(max_size=400), examples, lambda data: read_and_restored(data, chapter))


def places(tree: Any) -> list[tuple[Any, Any]]:
    """Every (container, key) of a JSON tree."""
    found, todo = [], [tree]
    while todo:
        item = todo.pop()
        keys = list(item) if isinstance(item, dict) else range(len(item))
        found += [(item, key) for key in keys]
        todo += [item[key] for key in keys if isinstance(item[key], dict | list)]
    return found


STRANGE = [
    *(None, True, -1, 2**70, 1e400, "", [], {}, "\x00", "\ud800", "double", "check-double", [[[]]]),
    *({"grade_id": "double"}, "code", "markdown", "def double(x): return 2 * x", "while 1: pass"),
]


def changed(seed: int) -> bytes:
    """The solved notebook with some of its parts removed, repeated, moved or made strange."""
    chance = random.Random(seed)
    notebook = copy.deepcopy(SOLVED)
    for _ in range(chance.randint(1, 6)):
        held, key = chance.choice(places(notebook))
        action = chance.randrange(5)
        if action == 0:
            del held[key]
        elif action == 1 and isinstance(held, list):
            held.insert(chance.randint(0, len(held)), copy.deepcopy(held[key]))
        elif action == 2:
            other, name = chance.choice(places(notebook))
            held[key], other[name] = copy.deepcopy(other[name]), copy.deepcopy(held[key])
        elif action == 3 and isinstance(held[key], str):
            held[key] = scrambled(held[key], chance)
        else:
            held[key] = copy.deepcopy(chance.choice(STRANGE))
    content = json.dumps(notebook).encode()
    if chance.random() < 0.1:
        content = content[: chance.randrange(len(content))]
    if chance.random() < 0.2:
        data = bytearray(content)
        for _ in range(chance.randint(1, 20)):
            if data:
                data[chance.randrange(len(data))] = chance.randrange(256)
        content = bytes(data)
    return content


def scrambled(text: str, chance: random.Random) -> str:
    """A text with some of its characters and lines removed, repeated or exchanged."""
    parts = text.splitlines(keepends=True) if chance.random() < 0.5 else list(text)
    for _ in range(chance.randint(1, 5)):
        if parts:
            index = chance.randrange(len(parts))
            parts[index : index + 1] = chance.choice([[], [parts[index]] * 2, ["\n"], ["\u202e("]])
    return "".join(parts)


seeds = st.integers(0, 2**32)


def mutants(chapter: ReleasedChapter, examples: int) -> None:
    fuzzed(seeds, examples, lambda seed: read_and_restored(changed(seed), chapter))


def graded_mutants(chapter: ReleasedChapter, examples: int) -> None:
    def ask(seed: int) -> None:
        result = grade_submission(Job("ada", chapter, changed(seed), "", 5, LIMITS))
        record = result["record"]
        assert "passing" not in result, record["notes"]  # a fault of the grader's own
        assert record["status"] in STATUSES
        for exercise in record["exercises"]:
            assert exercise["status"] in VERDICTS
            full = exercise["max_points"] if exercise["status"] == "passed" else 0.0
            assert exercise["points"] == full
            assert exercise["message"] and "\n" not in exercise["message"]
        assert [each["name"] for each in record["exercises"]] == list(EXERCISES)
        json.dumps(result, ensure_ascii=False).encode()

    try:
        fuzzed(seeds, examples, ask)
    finally:
        end(LIMITS)


@pytest.mark.slow
def test_noise_is_a_typed_verdict(chapter):
    noise(chapter, 100)


@pytest.mark.slow
def test_a_made_notebook_is_a_typed_verdict(chapter):
    made(chapter, 150)


@pytest.mark.slow
def test_a_changed_notebook_is_a_typed_verdict(chapter):
    mutants(chapter, 250)


@needs_sandbox
@pytest.mark.slow
def test_a_changed_notebook_is_graded_to_the_end(chapter):
    graded_mutants(chapter, 25)


@pytest.mark.exhaustive
def test_thousands_of_files_are_typed_verdicts(chapter):
    noise(chapter, 1000)
    made(chapter, 2000)
    mutants(chapter, 5000)


@needs_sandbox
@pytest.mark.exhaustive
def test_a_thousand_changed_notebooks_are_graded_to_the_end(chapter):
    graded_mutants(chapter, 1000)
