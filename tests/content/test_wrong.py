"""Wrong solutions that were written without the list of mistakes at hand fail their checks."""

import pytest

from autograder.checking.samples import wrong_solutions
from tests.content.passing import passes
from tests.content.published import published


def of(name: str) -> dict[str, tuple[str, ...]]:
    """The mistakes of one exercise's wrong solutions, by title."""
    return {
        title: entry.about for title, entry in wrong_solutions().items() if entry.exercise == name
    }


@pytest.mark.slow
@pytest.mark.parametrize("name", published())
def test_every_wrong_solution_fails_its_check(name):
    assert {title for title in of(name) if passes(name, wrong_solutions()[title].code)} == set()


@pytest.mark.parametrize("name", sorted({entry.exercise for entry in wrong_solutions().values()}))
def test_an_exercise_has_solutions_with_one_mistake_and_with_two(name):
    numbers = [len(about) for about in of(name).values()]
    assert numbers.count(1) >= 4
    assert numbers.count(2) >= 1


def test_the_sample_is_large():
    """Who adds an exercise need not add to it: the list of mistakes comes first, and biases."""
    assert len({entry.exercise for entry in wrong_solutions().values()}) >= 50
    assert len(wrong_solutions()) >= 300


def test_every_wrong_solution_is_of_an_exercise():
    assert {entry.exercise for entry in wrong_solutions().values()} <= set(published())
