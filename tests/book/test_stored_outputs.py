"""Do the chapters' stored outputs hold on another processor, and with other threads?"""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from lab import smollm

from make.test import COMPARED

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
