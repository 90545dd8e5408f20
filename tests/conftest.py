"""What several test files share."""

import random
import shutil

import numpy
import pytest
import torch

from autograder.grading.course import Course
from autograder.release.build import release


def seed() -> None:
    """Every test draws the same, alone or after others, in whatever order."""
    random.seed(0)
    numpy.random.seed(0)
    torch.manual_seed(0)


@pytest.hookimpl(tryfirst=True)
def pytest_fixture_setup() -> None:
    seed()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_call() -> None:
    seed()


@pytest.hookimpl(tryfirst=True)  # before pytest chooses by the markers
def pytest_collection_modifyitems(items):
    """What is exhaustive is slow: `-m "not slow"` leaves it out too."""
    for item in items:
        if item.get_closest_marker("exhaustive"):
            item.add_marker("slow")


@pytest.fixture(scope="session")
def released(tmp_path_factory):
    """A released course that nothing was handed in to. Not to be changed: see `course`."""
    root = tmp_path_factory.mktemp("released")
    release((), root / "course")
    return Course(root / "course")


@pytest.fixture
def course(released, tmp_path):
    """A released course of one's own."""
    shutil.copytree(released.root, tmp_path / "course")
    return Course(tmp_path / "course")
