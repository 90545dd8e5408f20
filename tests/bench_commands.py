"""How long commands take from start to end, as the one who types them waits for them.

    make bench        (or: python -m tests.bench_commands --size 1000)

On 02-softmax: one submission from the command to its feedback page, with stock nbgrader
(`autograde`, then `generate_feedback`) and with `autograder grade`; the commands that have nothing
new to do; `autograder check` of a solved notebook; and a whole class with two workers, beside the
bare limit of `tests.bench` with two processes, start-up included in both. All but the class take
turns for some rounds, and the median counts. Each line has its target, and says whether it is met;
what is compared with another line says its share of that one.
"""

import argparse
import math
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from rich.console import Console
from rich.table import Table

from autograder.release.build import release
from tests.bench import STOCK, Bench, replay_together
from tests.solved import solved

CHAPTER = "02-softmax"
AUTOGRADER = [sys.executable, "-m", "autograder.cli"]
NOTHING_NEW = (["report"], ["export", "csv"], ["feedback"], ["release"])
STOCK_SHARE = 0.5  # of stock's time, for one submission
NOTHING_SECONDS = 1.0
CHECK_SECONDS = 3.0
BARE_RATIO = 1.2  # of the bare limit, for a class


def main() -> None:
    """Measure, and print one table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", type=int, default=1000, help="submissions of the class")
    parser.add_argument("--rounds", type=int, default=3, help="how often all take their turn")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        release((), root / "course")
        bench = Bench(root, CHAPTER)
        show(commands(bench, options.rounds) + whole_class(bench, options.size))


@dataclass(frozen=True)
class Line:
    """What took how many seconds, and what it should stay below."""

    name: str
    seconds: float
    below: float = math.inf
    of: str = ""  # what it is compared with, by the name that the table uses
    whole: float = 1.0  # the seconds of that

    def cells(self) -> tuple[str, ...]:
        """A row of the table."""
        if self.below == math.inf:
            return self.name, f"{self.seconds:.2f}", "", "", ""
        share = f"{self.seconds / self.whole:.2f} of {self.of}" if self.of else ""
        target = f"{self.below / self.whole:g} of {self.of}" if self.of else f"{self.below:g} s"
        met = "yes" if self.seconds < self.below else "no"
        return self.name, f"{self.seconds:.2f}", share, target, met


def commands(bench: Bench, rounds: int) -> list[Line]:
    """What is done for one person, each command's median."""
    course = bench.course(20)
    ready = course.root
    run([*AUTOGRADER, "grade", CHAPTER, "--course", str(ready)])
    notebook = solved(course, CHAPTER, ready / f"{CHAPTER}.ipynb")
    turns: dict[str, Callable[[], float]] = {
        "stock nbgrader, one submission": lambda: stock(bench.course(1).root),
        "autograder grade, one submission": lambda: ours(bench.course(1).root),
    }
    for command in NOTHING_NEW:
        typed = [*AUTOGRADER, *command, "--course", str(ready)]
        turns[f"autograder {' '.join(command)}, nothing new"] = lambda typed=typed: run(typed)
        run(typed)  # so that there is nothing new
    turns["autograder check"] = lambda: run([*AUTOGRADER, "check", str(notebook)])
    times = [{name: turn() for name, turn in turns.items()} for _ in range(rounds)]
    found = {name: median(one[name] for one in times) for name in turns}
    slow, fast, *nothing_new, check = turns
    return [
        Line(slow, found[slow]),
        Line(fast, found[fast], STOCK_SHARE * found[slow], "stock's", found[slow]),
        *(Line(name, found[name], NOTHING_SECONDS) for name in nothing_new),
        Line(check, found[check], CHECK_SECONDS),
    ]


def whole_class(bench: Bench, size: int) -> list[Line]:
    """A class with two workers, and the bare limit with two processes."""
    calls = bench.calls(size)
    start = time.time()
    replay_together(calls, 2)
    bare = time.time() - start
    seconds = bench.whole_class(size)["seconds"]
    ours = f"autograder grade, {size} submissions, two workers"
    return [
        Line(f"bare limit, {size} submissions, two processes", bare),
        Line(ours, seconds, BARE_RATIO * bare, "the bare limit", bare),
    ]


def run(command: list[str], folder: Path | None = None) -> float:
    """The seconds of a command that has to end well."""
    start = time.time()
    subprocess.run(command, check=True, capture_output=True, cwd=folder)
    return time.time() - start


def stock(root: Path) -> float:
    """nbgrader's two commands, without this course's configuration."""
    (root / "nbgrader_config.py").unlink()
    (root / "stock_config.py").write_text(STOCK)
    seconds = 0.0
    for command in ("autograde", "generate_feedback"):
        typed = [sys.executable, "-m", "nbgrader", command, CHAPTER]
        typed += [f"--config={root / 'stock_config.py'}", f"--CourseDirectory.root={root}"]
        seconds += run(typed, root)
    see_feedback(root)
    return seconds


def ours(root: Path) -> float:
    """This course's command, which writes the feedback too."""
    seconds = run([*AUTOGRADER, "grade", CHAPTER, "--course", str(root)])
    see_feedback(root)
    return seconds


def see_feedback(root: Path) -> None:
    """End where a run left no feedback page; take the course away."""
    if not list((root / "feedback").rglob("*.html")):
        raise SystemExit(f"No feedback was written in {root}.")
    shutil.rmtree(root)


def show(lines: list[Line]) -> None:
    """One table, with the target of each line."""
    table = Table("", "seconds", "share", "to stay below", "met", title=CHAPTER)
    for line in lines:
        table.add_row(*line.cells())
    Console().print(table)


if __name__ == "__main__":
    main()
