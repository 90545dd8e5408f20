"""Is what an exercise forbids seen under any name, and what it does not forbid left alone?

A file is one solution, `solutions/EXERCISE/NAME.py`: a comment says what it is, another what its
check must find. It may use what the notebook has, and the exercise's own reference as `Provided`.
"""

import math
from importlib import import_module
from pathlib import Path

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from autograder.checking import find
from autograder.diagnosis.judge import judge
from autograder.diagnosis.recording import live
from autograder.remote.calling import Home

HERE = Path(__file__).parent / "solutions"
FILES = sorted(HERE.glob("*/*.py"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_the_verdict_is_the_one_it_deserves(path):
    name = path.parent.name
    exercise = find(name)
    module = import_module(f"solutions.{exercise.module}")
    names = {"math": math, "torch": torch, "Tensor": Tensor, "nn": nn, "F": F}
    names |= {key: value for key, value in vars(module).items() if key[0] != "_" and key != name}
    names["Provided"] = getattr(module, name)
    text = path.read_text(encoding="utf-8")
    expected = next(line for line in text.splitlines() if line.startswith("# expect: "))
    status, _, words = expected.removeprefix("# expect: ").partition(": ")
    exec(compile(text, str(path), "exec"), names)
    verdict = judge(name, Home(names), live(exercise))
    assert verdict.status == status, verdict.message
    assert words in verdict.message
