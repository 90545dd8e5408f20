"""How long grading takes, beside stock nbgrader and beside the least it could take.

    make bench        (or: python -m tests.bench --copies 100 --chapter 02-softmax)

All in one run, on the released notebooks and the honest half of the sample class: stock
`nbgrader autograde` in a plain kernel, this course's `autograder grade` with one worker and two,
and the bare limit: warm forks that run the same student code and answer the same check calls, and
nothing else. The seconds of one submission are those from the first result to the last, divided
by the results in between: start-up, which depends on what the disk has in memory, is left out.
"""

import argparse
import multiprocessing
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import nbformat
from rich.console import Console
from rich.table import Table

from autograder.grading.ahead import plan
from autograder.grading.course import Course
from autograder.grading.grade import workshop
from autograder.grading.notebook import grade_id, parse, restored
from autograder.grading.submission import OUTPUT_BYTES, Limits, Run
from autograder.release.build import release
from tests.sample_class import Class

STOCK = """
c = get_config()
c.ClearSolutions.code_stub = {"python": "raise NotImplementedError"}
"""


def main() -> None:
    """Run every contender on the same submissions and print one table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--chapter", default="02-softmax")
    parser.add_argument("--copies", type=int, default=100, help="submissions for the others")
    parser.add_argument("--stock", type=int, default=6, help="submissions for stock nbgrader")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        release((), root / "course", root)
        bench = Bench(root, options.chapter)
        rows = [
            bench.timed("stock nbgrader autograde", bench.stock, options.stock),
            bench.timed("autograder grade, 1 worker", lambda n: bench.ours(n, 1), options.copies),
            bench.timed("autograder grade, 2 workers", lambda n: bench.ours(n, 2), options.copies),
            bench.timed("bare limit, 1 process", lambda n: bench.bare(n, 1), options.copies),
            bench.timed("bare limit, 2 processes", lambda n: bench.bare(n, 2), options.copies),
        ]
    show(options.chapter, rows)


class Bench:
    """One released chapter, and a fresh class of it for every contender."""

    def __init__(self, root: Path, chapter: str) -> None:
        self.root = root
        self.chapter = chapter
        self.number = 0
        made = Class(Course(root / "course"))
        honest = [
            one.content
            for one in made.build()
            if one.chapter == chapter and one.student.startswith(("ada", "other", "mistaken"))
        ]
        self.contents = [nbformat.writes(content) for content in honest]

    def course(self, submissions: int) -> Course:
        """A course folder with that many submissions, no two alike."""
        self.number += 1
        root = self.root / f"course-{self.number}"
        shutil.copytree(self.root / "course", root, ignore=shutil.ignore_patterns(".grading"))
        for index in range(submissions):
            notebook = nbformat.reads(self.contents[index % len(self.contents)], as_version=4)
            notebook.cells.append(nbformat.v4.new_markdown_cell(f"Submission {index}"))
            folder = root / "submitted" / f"student-{index:04}" / self.chapter
            folder.mkdir(parents=True)
            nbformat.write(notebook, folder / f"{self.chapter}.ipynb")
        return Course(root)

    def timed(self, name: str, run: Callable[[int], list[float]], count: int) -> dict[str, Any]:
        """The whole seconds of a run, and those of one submission once it is under way."""
        start = time.time()
        finished = run(count)
        whole = time.time() - start
        if len(finished) != count:
            raise SystemExit(f"{name} finished {len(finished)} of {count} submissions.")
        each = (max(finished) - min(finished)) / (count - 1)
        print(f"{name}: {whole:.1f} s for {count}", flush=True)
        return {"name": name, "count": count, "whole": whole, "each": each}

    def stock(self, count: int) -> list[float]:
        """nbgrader's own command, without this course's configuration."""
        course = self.course(count)
        config = course.root / "stock_config.py"
        config.write_text(STOCK)
        python(
            *("-m", "nbgrader", "autograde", self.chapter, f"--config={config}"),
            f"--CourseDirectory.root={course.root}",
            folder=course.root,  # not where this course's own configuration lies
        )
        for path in (course.root / "autograded").rglob("*.ipynb"):
            cells = nbformat.read(path, as_version=4).cells
            if not any(cell.get("execution_count") for cell in cells):
                raise SystemExit(f"Stock nbgrader did not run the cells of {path}.")
        return written(course)

    def ours(self, count: int, workers: int) -> list[float]:
        """This course's command."""
        course = self.course(count)
        python(
            *("-m", "autograder.cli", "grade", self.chapter, "--course", str(course.root)),
            *("--workers", str(workers)),
        )
        return written(course)

    def bare(self, count: int, workers: int) -> list[float]:
        """The student code and the check calls alone."""
        course = self.course(count)
        chapter = course.chapters([self.chapter])[self.chapter]
        scripts = [
            calls_of(path.read_bytes(), chapter)
            for path in sorted((course.root / "submitted").rglob("*.ipynb"))[: len(self.contents)]
        ]
        every = [scripts[index % len(scripts)] for index in range(count)]
        parts = [every[number::workers] for number in range(workers)]
        with multiprocessing.get_context("spawn").Pool(workers) as pool:
            return sum(pool.map(replay, [part for part in parts if part], chunksize=1), [])


def calls_of(content: bytes, chapter: Any) -> list[Any]:
    """What grading a notebook sends to the sandbox: cells to run, and each check's frame."""
    notebook, limits, script = parse(content), Limits(), []
    restored(notebook, chapter)
    checks = {task.check_id: task for task in chapter.tasks}
    needed = Run(notebook, chapter, None, limits).needed
    for index, cell in enumerate(notebook.cells):
        task = checks.get(grade_id(cell) or "")
        if task:
            foreseen = plan(task.name, 0)
            script.append((foreseen.frame, len(foreseen.requests)))
        elif index in needed:
            script.append({"op": "run", "source": cell.source, "bytes": OUTPUT_BYTES})
    return script


def replay(scripts: list[list[Any]]) -> list[float]:
    """Send what several submissions are asked, each to a fork of its own; look at no answer."""
    shop, finished = workshop(Limits()), []
    for script in scripts:
        with shop.warm().session() as session:
            for part in script:
                if isinstance(part, dict):
                    session.request(part, 60)
                else:
                    session.ask_all(*part, 60)
                    for _ in range(part[1]):
                        session.next(60)
        finished.append(time.time())
    shop.close()
    return finished


def python(*arguments: str, folder: Path | None = None) -> None:
    """Run a Python process that must succeed."""
    subprocess.run([sys.executable, *arguments], check=True, capture_output=True, cwd=folder)


def written(course: Course) -> list[float]:
    """When each of the graded notebooks was written."""
    return [path.stat().st_mtime for path in (course.root / "autograded").rglob("*.ipynb")]


def show(chapter: str, rows: list[dict[str, Any]]) -> None:
    """One table, with ratios to stock nbgrader and to the bare limit."""
    table = Table("", "submissions", "seconds", "s each", "x stock", "x bare", title=chapter)
    stock = rows[0]["each"]
    limits = {"1": rows[3]["each"], "2": rows[4]["each"]}
    for row in rows:
        bare = limits["2" if "2" in row["name"] else "1"]
        table.add_row(
            row["name"],
            str(row["count"]),
            f"{row['whole']:.1f}",
            f"{row['each']:.3f}",
            f"{stock / row['each']:.1f}",
            f"{row['each'] / bare:.1f}",
        )
    Console().print(table)


if __name__ == "__main__":
    main()
