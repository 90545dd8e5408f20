"""What the checks say of wrong solutions: `python -m tests.content.judge_wrong [exercise ...]`.

Prints a table, so that a reader can judge each sentence: does it name the mistake that was made?
"""

import functools
import sys

import torch

from autograder.checking.samples import wrong_solutions
from autograder.diagnosis.judge import PUBLIC_SEED, Verdict, judge
from autograder.remote.calling import Home
from tests.content.answers import reference


@functools.cache
def verdict(title: str) -> Verdict:
    """What the check of its exercise finds in the solution of that title."""
    entry = wrong_solutions()[title]
    torch.default_generator.manual_seed(0)  # for the weights of what draws its own
    home = Home({entry.exercise: entry.code})
    return judge(entry.exercise, home, reference(entry.exercise), PUBLIC_SEED)


def row(*cells: str) -> str:
    """One line of a Markdown table."""
    return "| " + " | ".join(" ".join(cell.replace("|", "\\|").split()) for cell in cells) + " |"


def main(names: list[str]) -> None:
    """Print the table of these exercises, or of all."""
    print(row("exercise", "mistakes made", "verdict", "sentence named", "plain message"))
    print(row(*["---"] * 5))
    for title, entry in wrong_solutions().items():
        if names and entry.exercise not in names:
            continue
        found = verdict(title)
        misconceptions = "; ".join(entry.about)
        print(
            row(
                entry.exercise,
                misconceptions,
                found.status,
                found.misconception or "",
                found.message,
            ),
            flush=True,
        )


if __name__ == "__main__":
    main(sys.argv[1:])
