"""Every exercise: right code passes, known misconceptions fail with their own sentence."""

import ast
import builtins
import importlib
import json
import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from autograder.checking import Verdict, exercises
from autograder.checking.registry import Exercise
from autograder.checking.samples import styles
from autograder.diagnosis.judge import PUBLIC_SEED, judge
from autograder.diagnosis.recording import live, load, save
from autograder.remote.calling import Home
from tests.content.answers import reference
from tests.content.published import by_module, first_of_each_module, published
from tests.sample_class import reference_source
from tests.wrong import source_of, wrongs

ROOT = Path(__file__).resolve().parents[2]
SETUP = {
    "math": math,
    "torch": torch,
    "Tensor": Tensor,
    "nn": nn,
    "F": F,
    "Callable": Callable,
    "Sequence": Sequence,
}
TRIVIAL = {"double"}
SEEDS = (PUBLIC_SEED, 101, 102)

every_exercise = pytest.mark.parametrize("name", by_module())
# What takes long is asked of one exercise of each chapter among the quick tests.
every_exercise_slowly = pytest.mark.parametrize("name", first_of_each_module())


def reference_of(exercise: Exercise) -> Any:
    """The reference itself."""
    return getattr(importlib.import_module(f"solutions.{exercise.module}"), exercise.name)


@cache
def order() -> list[str]:
    """The exercises in the order in which the chapters have them."""

    def place(exercise: Exercise) -> tuple[str, int]:
        module = importlib.import_module(f"solutions.{exercise.module}")
        return exercise.chapter, list(vars(module)).index(exercise.name)

    return [exercise.name for exercise in sorted(published().values(), key=place)]


def earlier(name: str) -> set[str]:
    """The exercises that may be used in this one."""
    return set(order()[: order().index(name)])


def verdict_of(name: str, thing: Any, seed: int = PUBLIC_SEED) -> Verdict:
    """The verdict on an implementation."""
    torch.default_generator.manual_seed(seed)
    return judge(name, Home({name: thing}), reference(name, seed), seed)


def lifted(name: str, source: str, exercise: str = "") -> Any:
    """What the source makes in a notebook: after the setup cell and the earlier exercises."""
    names: dict[str, Any] = dict(SETUP)
    names |= {other: reference_of(exercises()[other]) for other in earlier(exercise or name)}
    exec(compile(source, f"<{name}>", "exec"), names)
    return names[name]


def sources(name: str) -> dict[str, str]:
    """The text of the reference, the alternatives and the misconceptions."""
    exercise = exercises()[name]
    texts = {"the reference": reference_source(exercise)}
    texts |= {f"the style {style}": source_of(made, name) for style, made in styles(name).items()}
    return texts | {wrong.sentence: wrong.source for wrong in wrongs(name)}


def free_names(source: str) -> set[str]:
    """The names that a definition takes from outside."""
    loaded: set[str] = set()
    bound: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Name):
            (loaded if isinstance(node.ctx, ast.Load) else bound).add(node.id)
        elif isinstance(node, ast.arg):
            bound.add(node.arg)
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            bound.add(node.name)
        elif isinstance(node, ast.alias):
            bound.add(node.asname or node.name.split(".")[0])
    return loaded - bound - set(dir(builtins))


@every_exercise
@pytest.mark.parametrize(
    "seed", [SEEDS[0], *(pytest.param(seed, marks=pytest.mark.slow) for seed in SEEDS[1:])]
)
def test_the_reference_passes(name, seed):
    verdict = verdict_of(name, reference_of(exercises()[name]), seed)
    assert verdict.passed, verdict.message
    assert verdict.points == verdict.max_points == exercises()[name].points


@pytest.mark.exhaustive
@every_exercise
def test_right_code_passes_with_any_inputs(name):
    for seed in range(200):
        verdict = verdict_of(name, reference_of(exercises()[name]), seed)
        assert verdict.passed, f"seed {seed}: {verdict.message}"
        for style, solution in styles(name).items():
            verdict = verdict_of(name, solution, seed)
            assert verdict.passed, f"{style}, seed {seed}: {verdict.message}"


@pytest.mark.parametrize(("name", "seed"), [("AttentionLayer", 133)])
def test_right_code_passes_where_rounding_once_failed_it(name, seed):
    for style, solution in styles(name).items():
        verdict = verdict_of(name, solution, seed)
        assert verdict.passed, f"{style}: {verdict.message}"


@every_exercise_slowly
def test_every_misconception_is_told_by_its_own_name(name):
    known = wrongs(name)
    wanted = 2 if name in TRIVIAL else 4
    keys = {one.key for one in known}  # there may be two ways to make one misconception
    assert len(keys) >= wanted, f"{name}: {len(keys)} misconceptions, wanted at least {wanted}"
    for one in known:  # as a notebook has them: what a misconception's text makes
        verdict = verdict_of(name, lifted(name, one.source))
        found = (verdict.status, verdict.points, verdict.key, verdict.misconception)
        assert found == ("failed", 0.0, one.key, one.sentence), verdict.message


def test_a_sentence_in_other_words_changes_no_key(monkeypatch):
    """What is told is known by its key: prose is display."""
    known = {name: wrongs(name) for name in ("attend", "split_heads", "weighted_average")}
    for name, made in known.items():
        exercise = exercises()[name]
        others = [
            replace(one, sentence=f"Other words: {one.key}.") for one in exercise.misconceptions
        ]
        monkeypatch.setattr(exercise, "misconceptions", others)
        monkeypatch.setattr(exercise, "candidates", {})
        for one in made:
            assert verdict_of(name, one.thing).key == one.key


@pytest.mark.exhaustive
@every_exercise
def test_misconceptions_are_told_apart_with_any_inputs(name):
    for one in wrongs(name):
        for seed in range(20):  # made anew each time: one may keep something in its class
            verdict = verdict_of(name, lifted(name, one.source), seed)
            found = (verdict.status, verdict.key)
            assert found == ("failed", one.key), f"seed {seed}: {verdict.message}"


@every_exercise
def test_only_the_names_of_the_setup_cell_are_used(name):
    for what, source in sources(name).items():
        outside = free_names(source) - set(SETUP) - earlier(name)
        assert outside == set(), f"{what} uses {outside}, which a notebook does not have"


@every_exercise_slowly
def test_the_source_text_of_the_reference_and_of_other_styles_passes(name):
    """A notebook and the sample class are made of the text, not of the objects."""
    known, texts = styles(name), sources(name)
    assert len(known) >= 2, f"{name}: {len(known)} alternatives, wanted at least 2"
    for style in ("the reference", *(f"the style {style}" for style in known)):
        verdict = verdict_of(name, lifted(name, texts[style]), seed=SEEDS[1])
        assert verdict.passed, f"{style}: {verdict.message}"


@pytest.mark.parametrize("name", first_of_each_module(rest="exhaustive"))
def test_a_recorded_reference_judges_as_the_live_one(name, tmp_path):
    exercise = exercises()[name]
    save(name, tmp_path)
    things = [next(iter(styles(name).values())), wrongs(name)[-1].thing]
    recording = load(name, tmp_path)
    for thing in things:
        found = []
        for answers in (recording, live(exercise)):
            torch.default_generator.manual_seed(PUBLIC_SEED)
            found.append(judge(name, Home({name: thing}), answers, PUBLIC_SEED))
        assert found[0] == found[1]


@every_exercise
def test_a_stub_is_not_started(name):
    def stub(*args, **kwargs):
        raise NotImplementedError

    verdict = verdict_of(name, stub)
    status = "not mended" if exercises()[name].mend else "not started"
    assert (verdict.status, verdict.points) == (status, 0.0)


@every_exercise
def test_the_chapter_has_it_with_the_same_points(name):
    exercise = exercises()[name]
    path = ROOT / "book" / f"{exercise.chapter}.ipynb"
    text = path.read_text(encoding="utf-8")
    cells = {
        cell["metadata"].get("nbgrader", {}).get("grade_id"): cell
        for cell in json.loads(text)["cells"]
    }
    assert "".join(cells[name]["source"]) == f"from solutions.{exercise.module} import {name}"
    graded = cells[f"check-{name}"]
    assert "".join(graded["source"]) == f'check("{name}")'
    assert graded["metadata"]["nbgrader"]["points"] == exercise.points
    assert reference_of(exercise).__module__ == f"solutions.{exercise.module}.reference"


def given(chapter):
    """The names that a chapter gives its readers, in cells of their own."""
    cells = json.loads((ROOT / "book" / f"{chapter}.ipynb").read_text(encoding="utf-8"))["cells"]
    code = "\n".join(
        "".join(cell["source"])
        for cell in cells
        if cell["id"].startswith("provided-") and cell["cell_type"] == "code"
    )
    imports = (node for node in ast.parse(code).body if isinstance(node, ast.ImportFrom))
    return {alias.asname or alias.name for node in imports for alias in node.names}


def test_every_public_reference_has_an_exercise_or_is_given():
    for exercise in published().values():
        module = importlib.import_module(f"solutions.{exercise.module}.reference")
        own = [
            name
            for name, thing in vars(module).items()
            if not name.startswith("_") and getattr(thing, "__module__", "") == module.__name__
        ]
        assert set(own) <= set(exercises()) | given(exercise.chapter)
