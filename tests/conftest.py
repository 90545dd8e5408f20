"""What several test files share."""

import shutil

import pytest

from autograder.grading.course import Course
from autograder.release.build import release


@pytest.fixture(scope="session")
def released(tmp_path_factory):
    """A released course that nothing was handed in to. Not to be changed: see `course`."""
    root = tmp_path_factory.mktemp("released")
    release((), root / "course", root)
    return Course(root / "course")


@pytest.fixture
def course(released, tmp_path):
    """A released course of one's own."""
    shutil.copytree(released.root, tmp_path / "course")
    return Course(tmp_path / "course")
