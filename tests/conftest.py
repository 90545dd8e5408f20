"""What several test files share."""

import contextlib
import os
import shutil

import pytest
from filelock import FileLock

from autograder import manifest
from autograder.files import REPOSITORY
from autograder.grading.course.folder import Course
from autograder.release.build import release
from autograder.sandbox.process import SandboxProcess
from tests.chromium import CHROMIUM, FLAGS

RECORDINGS = REPOSITORY / "build" / "course" / manifest.RECORDINGS


@pytest.fixture(scope="session")
def released(tmp_path_factory):
    """A released course that nothing was handed in to. Not to be changed: see `course`."""
    root = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        root = root.parent  # which the workers share: who comes first makes it for all
    done = root / "released" / "done"
    with FileLock(root / "released.lock"):
        if not done.exists():
            # Those of `make release`, of which a release records only what has changed since.
            with contextlib.suppress(FileNotFoundError):
                recordings = root / "released" / "course" / manifest.RECORDINGS
                shutil.copytree(RECORDINGS, recordings, dirs_exist_ok=True)
            release((), root / "released" / "course")
            done.touch()
    return Course(root / "released" / "course")


@pytest.fixture
def course(released, tmp_path):
    """A released course of one's own."""
    shutil.copytree(released.root, tmp_path / "course")
    return Course(tmp_path / "course")


@pytest.fixture(scope="module")
def warm():
    """A fork server."""
    with SandboxProcess() as process:
        yield process


@pytest.fixture(scope="session")
def browser():
    """Chromium; a worker can run playwright once."""
    sync_api = pytest.importorskip("playwright.sync_api")
    if CHROMIUM is None:
        pytest.skip("Chromium is not installed")
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()
