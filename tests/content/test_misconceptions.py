"""Misconceptions as changes: do they still fit?"""

import pytest

from autograder.checking import exercises
from autograder.diagnosis.candidates import changed
from autograder.source.changes import applied
from tests.content.published import by_module


@pytest.mark.parametrize("name", by_module())
def test_every_change_stands_in_the_reference_once(name):
    exercise = exercises()[name]
    for misconception in exercise.misconceptions:
        root, changes = changed(
            exercise, misconception
        )  # raises StaleMisconception with what it looked for
        for change in changes:
            rest = [one for one in changes if one is not change]
            assert not any(change.overlaps(one) for one in rest), misconception.sentence
        root.built({name: applied(root.code, ())})
