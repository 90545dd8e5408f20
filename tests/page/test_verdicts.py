"""On NumPy every answer gets the verdict that it gets with PyTorch: same points, same key.

The oracle is what the tests of the checks hold PyTorch to: right answers pass, a misconception gets
its key, and a wrong answer the one beside it in `wrong.py`.
"""

import json
import pickle
import subprocess
import sys
from pathlib import Path

import pytest

from autograder.checking import exercises
from autograder.checking.samples import styles, wrong_answers
from autograder.diagnosis.recording import record
from autograder.remote.packing import packed
from tests.wrong import wrongs

pytest.importorskip("borch")
ROOT = Path(__file__).parents[2]
SKIPPED = json.loads(Path(__file__).with_name("skipped.json").read_text())  # with the reason
MODULES = sorted({exercise.module for exercise in exercises().values()})
HEAVY = {  # a run of their checks takes longest
    "attention_layer",
    "bahdanau",
    "encoder_decoder",
    "masked",
    "real_encoder",
    "real_writer",
    "self_attention",
    "transformer_block",
    "vit",
    "writer",
}


@pytest.fixture(scope="session")
def recorded(tmp_path_factory):
    folder = tmp_path_factory.mktemp("recorded")
    for name in exercises():
        messages = [reply.message() for reply in record(name)]
        (folder / name).write_bytes(pickle.dumps(packed(messages)))
    return folder


def judged(recorded: Path, kinds: str, module: str) -> dict[str, list]:
    names = [one.name for one in exercises().values() if one.module == module]
    command = [sys.executable, "-m", "tests.page.on_numpy", "judge", recorded, kinds, *names]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr[-2000:]
    return json.loads(result.stdout.splitlines()[-1])


def assert_alike(found: dict[str, list]) -> None:
    others = {case: one for case, one in found.items() if one[0] != one[1] and case not in SKIPPED}
    assert others == {}
    needless = [case for case in SKIPPED if case in found and found[case][0] == found[case][1]]
    assert needless == [], "these are alike: take them out of the table"


@pytest.mark.slow
@pytest.mark.parametrize("module", MODULES)
def test_right_answers_pass_and_misconceptions_get_their_keys(recorded, module):
    kinds = "right" if module in HEAVY else "right+misconceptions"
    assert_alike(judged(recorded, kinds, module))


@pytest.mark.exhaustive
@pytest.mark.parametrize("module", MODULES)
def test_all_wrong_answers_get_their_keys(recorded, module):
    assert_alike(judged(recorded, "misconceptions+wrong", module))


def test_few_cases_are_skipped():
    """At most one in twenty, each with its reason."""
    answers = sum(len(styles(name)) + len(wrongs(name)) + 1 for name in exercises())
    answers += sum(map(len, wrong_answers().values()))
    assert len(SKIPPED) <= answers / 20
    assert all(SKIPPED.values())
