"""Mistakes as changes: do they still fit, and are they told whatever the style?"""

import pytest
import torch

from autograder.checking import exercises
from autograder.checking.samples import restyled
from autograder.diagnosis.candidates import changed
from autograder.diagnosis.judge import judge
from autograder.diagnosis.recording import live
from autograder.remote.calling import Home
from autograder.source.changes import applied, changes_of
from autograder.source.sources import definition
from tests.content.published import by_module
from tests.content.test_checks import SEEDS, TRIVIAL


@pytest.mark.parametrize("name", by_module())
def test_every_change_stands_in_the_reference_once(name):
    exercise = exercises()[name]
    for misconception in exercise.misconceptions:
        root, changes = changed(
            exercise, misconception
        )  # raises StaleMistake with what it looked for
        for change in changes:
            rest = [one for one in changes if one is not change]
            assert not any(change.overlaps(one) for one in rest), misconception.sentence
        root.built({name: applied(root.code, ())})


@pytest.mark.parametrize(
    "seed", [SEEDS[0], *(pytest.param(seed, marks=pytest.mark.exhaustive) for seed in SEEDS[1:])]
)
@pytest.mark.parametrize("name", by_module())
def test_mistakes_are_told_in_other_styles(name, seed):
    exercise = exercises()[name]
    known = restyled().get(name, [])
    assert len(known) >= (2 if name in TRIVIAL else 4)
    for style, wanted, key in known:
        if key == exercise.mend:
            continue  # of which a student is told that it is not mended yet
        root = definition(exercise.module, name, style)
        wrong = root.built({name: applied(root.code, changes_of(root.code, wanted, style))})
        assert key in {one.key for one in exercise.misconceptions}, f"{name} has no mistake {key!r}"
        torch.default_generator.manual_seed(seed)
        verdict = judge(name, Home({name: wrong}), live(exercise), seed)
        assert verdict.key == key, f"{style}: {verdict.message}"
