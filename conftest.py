"""For every test, of the engine and of the chapters: where it begins, and whether it can run."""

import random
import re
from pathlib import Path

import numpy
import pytest
import torch

from tests.order import pytest_collection_modifyitems  # noqa: F401 (a hook)

ROOT = Path(__file__).parent
OF_A_CHAPTER = re.compile(r"^\s*from solutions\.(\w+)", re.MULTILINE)


def seed() -> None:
    """Every test draws the same, alone or after others, in whatever order."""
    random.seed(0)
    numpy.random.seed(0)
    torch.default_generator.manual_seed(0)  # `torch.manual_seed` looks for other devices


@pytest.hookimpl(tryfirst=True)
def pytest_fixture_setup() -> None:
    seed()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_call() -> None:
    seed()


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Leave out what is about the references of a chapter that was taken out of the course."""
    if not (collection_path.name.startswith("test_") and collection_path.suffix == ".py"):
        return None
    chapters = OF_A_CHAPTER.findall(collection_path.read_text(encoding="utf-8"))
    return any(not (ROOT / "solutions" / name).is_dir() for name in chapters) or None
