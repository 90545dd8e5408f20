"""How long grading takes, beside stock nbgrader and beside the least it could take.

    make bench        (or: python -m tests.bench --copies 150 --chapter 02-softmax)
    python -m tests.bench --classes 1000 10000        time and memory of whole classes
    python -m tests.bench --waiting                   what two workers gain where none computes

All in one run, on the released notebooks and the honest half of the sample class: stock
`nbgrader autograde` in a plain kernel, one at a time and two at a time; this course's `autograder
grade` with one worker and two, and with two of a Dask cluster; and the bare limit: warm forks that
run the same student code and answer the same check calls, and nothing else. `minimal` is a notebook
of one import, one exercise and its check. The seconds of one submission are those from when a fifth
of the results are there to the last, divided by the results in between: start-up, which depends on
what the disk has in memory, is left out. All take turns for some rounds, and the median counts:
other programs slow down whoever runs just then. Efficiency is what two workers get done of twice
what one does. Two that compute share caches, clock and often a core; submissions that only wait
show what handing out the work itself loses.
"""

import argparse
import multiprocessing
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

import nbformat
from rich.console import Console
from rich.table import Table

from autograder.cells import grade_id
from autograder.grading.course.folder import Course
from autograder.grading.submission.ahead import plan
from autograder.grading.submission.execution import OUTPUT_BYTES
from autograder.grading.submission.needed_cells import needed_cells
from autograder.grading.submission.overwrite_cells import restored
from autograder.grading.submission.parse import parse
from autograder.release.build import release
from autograder.sandbox.fork_server import end, fork_server
from autograder.sandbox.limits import Limits
from tests.sample_class import Class

GRADE = [sys.executable, "-m", "autograder.cli", "grade"]
STOCK = """
c = get_config()
c.ClearSolutions.code_stub = {"python": "raise NotImplementedError"}
"""


MINIMAL = "minimal"
MINIMAL_OF = "00-start-here"
SECONDS_OF_WAITING = 0.25
# What it is called, what returns when each of so many submissions was finished, how many, and how
# many of them at a time.
Contender = tuple[str, Callable[[int], list[float]], int, int]


def main() -> None:
    """Run every contender on the same submissions and print one table a chapter."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--chapter", nargs="+", default=[MINIMAL, "02-softmax"])
    parser.add_argument("--copies", type=int, default=150, help="submissions for the others")
    parser.add_argument("--stock", type=int, default=3, help="submissions for stock nbgrader")
    parser.add_argument("--rounds", type=int, default=3, help="how often all take their turn")
    parser.add_argument("--classes", type=int, nargs="*", help="whole classes of these sizes")
    parser.add_argument("--waiting", action="store_true", help="submissions that only wait")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        release((), root / "course")
        if options.waiting:
            show_efficiency(Bench(root, MINIMAL).waiting(options.copies, options.rounds))
            return
        for chapter in options.chapter:
            bench = Bench(root, chapter)
            if options.classes:
                show_classes(chapter, [bench.whole_class(size) for size in options.classes])
            else:
                show(chapter, bench.everyone(options.copies, options.stock, options.rounds))


class Bench:
    """One released chapter, and a fresh class of it for every contender."""

    def __init__(self, root: Path, name: str) -> None:
        self.root = root
        self.name = name
        self.chapter = MINIMAL_OF if name == MINIMAL else name
        self.number = 0
        made = Class(Course(root / "course"))
        honest = [
            one.content
            for one in made.build()
            if one.chapter == self.chapter and one.student.startswith(("ada", "other", "mistaken"))
        ]
        if name == MINIMAL:
            honest = [only_what_counts(content) for content in honest]
        self.contents = [nbformat.writes(content) for content in honest]

    def everyone(self, copies: int, stock: int, rounds: int) -> list[dict[str, Any]]:
        """Every contender, one after the other, as often as there are rounds."""
        contenders = [
            ("stock nbgrader, 1 at a time", lambda n: self.stock(n, 1), stock, 1),
            ("stock nbgrader, 2 at a time", lambda n: self.stock(n, 2), 2 * stock, 2),
            *self.crews(copies),
            ("bare limit, 1 process", lambda n: self.bare(n, 1), copies, 1),
            ("bare limit, 2 processes", lambda n: self.bare(n, 2), copies, 2),
        ]
        return self.raced(contenders, rounds)

    def crews(self, copies: int) -> list[Contender]:
        """This course's command: one worker, two, and two of a Dask cluster."""
        return [
            ("autograder grade, 1 worker", lambda n: self.ours(n, 1), copies, 1),
            ("autograder grade, 2 workers", lambda n: self.ours(n, 2), copies, 2),
            ("autograder grade, 2 Dask workers", self.spread, copies, 2),
        ]

    def raced(self, contenders: list[Contender], rounds: int) -> list[dict[str, Any]]:
        """Each contender's median of several turns."""
        times = [[self.timed(*one) for one in contenders] for _ in range(rounds)]
        return [
            rows[0] | {part: median(row[part] for row in rows) for part in ("whole", "each")}
            for rows in zip(*times, strict=True)
        ]

    def waiting(self, copies: int, rounds: int) -> list[dict[str, Any]]:
        """The crews, on submissions whose first cell does nothing for a while."""
        wait = f"import time\ntime.sleep({SECONDS_OF_WAITING})\n"
        notebooks = [nbformat.reads(content, as_version=4) for content in self.contents]
        for notebook in notebooks:
            first = next(cell for cell in notebook.cells if cell.cell_type == "code")
            first.source = wait + first.source
        self.contents = [nbformat.writes(notebook) for notebook in notebooks]
        return self.raced(self.crews(copies), rounds)

    def whole_class(self, size: int) -> dict[str, Any]:
        """One class with two workers: seconds from start to end, and what this took in memory."""
        course = self.course(size)
        start, before = time.time(), processor_seconds()
        command = [*GRADE, self.chapter, "--course", str(course.root), "--workers", "2"]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        highest = 0
        while process.poll() is None:
            highest = max(highest, most_memory(process.pid))
            time.sleep(0.1)
        if process.returncode or len(written(course)) != size:
            raise SystemExit(f"The class of {size} was not graded.")
        return {
            "size": size,
            "seconds": time.time() - start,
            "processor": processor_seconds() - before,
            "memory": highest,
        }

    def course(self, submissions: int) -> Course:
        """A course folder with that many submissions, no two alike."""
        self.number += 1
        root = self.root / f"{self.name}-{self.number}"
        shutil.copytree(self.root / "course", root, ignore=shutil.ignore_patterns(".grading"))
        for index in range(submissions):
            notebook = nbformat.reads(self.contents[index % len(self.contents)], as_version=4)
            notebook.cells.append(nbformat.v4.new_markdown_cell(f"Submission {index}"))
            folder = root / "submitted" / f"student-{index:04}" / self.chapter
            folder.mkdir(parents=True)
            nbformat.write(notebook, folder / f"{self.chapter}.ipynb")
        return Course(root)

    def timed(
        self, name: str, run: Callable[[int], list[float]], count: int, together: int
    ) -> dict[str, Any]:
        """The whole seconds of a run, and those of one submission once it is under way."""
        start = time.time()
        finished = run(count)
        whole = time.time() - start
        if len(finished) != count:
            raise SystemExit(f"{name} finished {len(finished)} of {count} submissions.")
        each = seconds_each(finished, together)
        print(f"{name}: {whole:.1f} s for {count}", flush=True)
        return {"name": name, "count": count, "whole": whole, "each": each}

    def stock(self, count: int, at_a_time: int) -> list[float]:
        """nbgrader's own command, without this course's configuration; each on a part."""
        courses = [self.course(count // at_a_time) for _ in range(at_a_time)]
        commands = []
        for course in courses:
            (course.root / "nbgrader_config.py").unlink()  # this course's own configuration
            (course.root / "stock_config.py").write_text(STOCK)
            commands.append(
                [
                    *(sys.executable, "-m", "nbgrader", "autograde", self.chapter),
                    f"--config={course.root / 'stock_config.py'}",
                    f"--CourseDirectory.root={course.root}",
                ]
            )
        together = [
            # Not in the repository, which has such a configuration too.
            subprocess.Popen(command, cwd=course.root, stderr=subprocess.DEVNULL)
            for command, course in zip(commands, courses, strict=True)
        ]
        codes = [process.wait() for process in together]
        if any(codes):
            raise SystemExit("Stock nbgrader failed.")
        for course in courses:
            for path in (course.root / "autograded").rglob("*.ipynb"):
                cells = nbformat.read(path, as_version=4).cells
                if not any(cell.get("execution_count") for cell in cells):
                    raise SystemExit(f"Stock nbgrader did not run the cells of {path}.")
        return sum((written(course) for course in courses), [])

    def ours(self, count: int, workers: int = 0, scheduler: str = "") -> list[float]:
        """This course's command."""
        course = self.course(count)
        how = ["--scheduler", scheduler] if scheduler else ["--workers", str(workers)]
        command = [*GRADE, self.chapter, "--course", str(course.root), *how]
        subprocess.run(command, check=True, capture_output=True)
        return written(course)

    def spread(self, count: int) -> list[float]:
        """The same with two workers of a Dask cluster on this machine."""
        import distributed

        with distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
        ) as cluster:
            return self.ours(count, scheduler=cluster.scheduler_address)

    def bare(self, count: int, workers: int) -> list[float]:
        """The student code and the check calls alone."""
        return replay_together(self.calls(count), workers)

    def calls(self, count: int) -> list[list[Any]]:
        """What so many submissions ask of a sandbox."""
        course = self.course(len(self.contents))
        chapter = course.chapters([self.chapter])[self.chapter]
        scripts = [
            calls_of(path.read_bytes(), chapter)
            for path in sorted((course.root / "submitted").rglob("*.ipynb"))
        ]
        return [scripts[index % len(scripts)] for index in range(count)]


def replay_together(every: list[list[Any]], workers: int) -> list[float]:
    """The bare limit: so many fork servers, each with its part."""
    parts = [every[number::workers] for number in range(workers)]
    with multiprocessing.get_context("spawn").Pool(workers) as pool:
        return sum(pool.map(replay, [part for part in parts if part], chunksize=1), [])


def seconds_each(finished: list[float], together: int) -> float:
    """What one submission adds, once all that run together have ended one and a fifth is done.

    Those that ran beside each other end as one: counted from among them, two at a time would seem
    to take a third of what one takes, not half.
    """
    first = -(-max(len(finished) // 5, together) // together) * together
    times = sorted(finished)
    return (times[-1] - times[first - 1]) / (len(times) - first)


def calls_of(content: bytes, chapter: Any) -> list[Any]:
    """What grading a notebook sends to the sandbox: cells to run, and each check's frame."""
    notebook, script = parse(content), []
    restored(notebook, chapter)
    checks = {exercise.check_id: exercise for exercise in chapter.exercises}
    needed = needed_cells(notebook, chapter)
    for index, cell in enumerate(notebook.cells):
        exercise = checks.get(grade_id(cell) or "")
        if exercise:
            foreseen = plan(exercise.name, 0)
            script += [(part.frame, part.count) for part in foreseen.parts.values()]
        elif index in needed:
            script.append({"op": "run", "source": cell.source, "bytes": OUTPUT_BYTES})
    return script


def replay(scripts: list[list[Any]]) -> list[float]:
    """Send what several submissions are asked, each to a fork of its own; look at no answer."""
    limits, finished = Limits(), []
    for script in scripts:
        with fork_server(limits).session() as session:
            for part in script:
                deadline = session.deadline(60)  # one, as in grading: to make one takes time too
                if isinstance(part, dict):
                    session.request(part, deadline)
                else:
                    session.ask_all(*part, deadline)
                    for _ in range(part[1]):
                        session.next(deadline)
        finished.append(time.time())
    end(limits)
    return finished


def only_what_counts(notebook: Any) -> Any:
    """A copy with the graded cells and the imports alone."""
    small = nbformat.from_dict(notebook)
    small.cells = [
        cell for cell in small.cells if grade_id(cell) or cell.source.startswith("import")
    ]
    return small


def processor_seconds() -> float:
    """What all ended children and theirs have used: it says the same on a busy machine."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def most_memory(process: int) -> int:
    """The most memory that a process has had, in bytes; 0 if it is gone."""
    try:
        status = Path(f"/proc/{process}/status").read_text()
    except OSError:
        return 0
    lines = dict(line.split(":", 1) for line in status.splitlines())
    return 1024 * int(lines.get("VmHWM", "0 kB").split()[0])


def written(course: Course) -> list[float]:
    """When each of the graded notebooks was written."""
    return [path.stat().st_mtime for path in (course.root / "autograded").rglob("*.ipynb")]


def show(chapter: str, rows: list[dict[str, Any]]) -> None:
    """One table, and the efficiency. Ratios are of one process to one, and of two to two."""
    table = Table("", "submissions", "seconds", "s each", "x stock", "x bare", title=chapter)
    each = {row["name"]: row["each"] for row in rows}
    for row in rows:
        twice = "2" in row["name"]
        bare = each["bare limit, 2 processes" if twice else "bare limit, 1 process"]
        stock = each[f"stock nbgrader, {2 if twice else 1} at a time"]
        table.add_row(
            row["name"],
            str(row["count"]),
            f"{row['whole']:.1f}",
            f"{row['each']:.3f}",
            f"{stock / row['each']:.1f}",
            f"{row['each'] / bare:.1f}",
        )
    Console().print(table)
    show_efficiency(rows)


def show_efficiency(rows: list[dict[str, Any]]) -> None:
    """What two workers get done of twice what one does."""
    each = {row["name"]: row["each"] for row in rows}
    one = each["autograder grade, 1 worker"]
    print(f"autograder grade, 1 worker: {one:.3f} s a submission")
    for name in ("autograder grade, 2 workers", "autograder grade, 2 Dask workers"):
        print(f"{name}: efficiency {one / (2 * each[name]):.2f}")


def show_classes(chapter: str, rows: list[dict[str, Any]]) -> None:
    """One table of whole classes."""
    heads = ("submissions", "seconds", "ms each", "processor seconds", "main process, MB")
    table = Table(*heads, title=chapter)
    for row in rows:
        table.add_row(
            str(row["size"]),
            f"{row['seconds']:.1f}",
            f"{1000 * row['seconds'] / row['size']:.1f}",
            f"{row['processor']:.1f}",
            f"{row['memory'] / 1e6:.0f}",
        )
    Console().print(table)


if __name__ == "__main__":
    main()
