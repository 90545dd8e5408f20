"""A class whose every score is known by how its submissions are built.

    python -m tests.sample_class build/sample-class

writes `submitted/` from the released notebooks, the references, the alternatives and the
misconceptions. Nothing is copied by hand: a new exercise joins the class by itself.
"""

import argparse
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path

import nbformat
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell

from autograder.cells import grade_id
from autograder.checking import exercises
from autograder.checking.registry import Exercise
from autograder.checking.samples import alternatives
from autograder.grading.course.folder import Course
from autograder.grading.course.released import ReleasedChapter
from autograder.source.sources import definition
from tests.wrong import Wrong, source_of, wrongs

HOSTILE_CHAPTER = "02-softmax"
# Every style and every misconception is judged in tests/content; here it is the way through the
# sandbox and the gradebook that counts.
STYLES, MISCONCEPTIONS = 2, 4


@dataclass
class Expected:
    """What one submission must get."""

    status: str = "graded"
    passed: set[str] = field(default_factory=set)
    statuses: dict[str, str] = field(default_factory=dict)
    sentences: dict[str, str] = field(default_factory=dict)
    note: str = ""


@dataclass
class Handed:
    """One submission: the notebook (or raw bytes, or how to write it) and what it must get."""

    student: str
    chapter: str
    content: NotebookNode | bytes | Callable[[Path], None] | None
    expected: Expected


def reference_source(exercise: Exercise) -> str:
    """The reference's source."""
    return source_of(
        getattr(import_module(f"solutions.{exercise.module}"), exercise.reference), exercise.name
    )


class Class:
    """Builds the submissions of every released chapter."""

    def __init__(self, course: Course) -> None:
        self.course = course
        self.chapters = course.chapters()
        self.handed: list[Handed] = []

    def build(self, *names: str) -> list[Handed]:
        """Every submission of the class, or of these chapters alone."""
        for name, chapter in self.chapters.items():
            if chapter.exercises and (not names or name in names):
                self._honest(chapter)
                if name == HOSTILE_CHAPTER:
                    self._broken(chapter)
        return self.handed

    def released(self, chapter: ReleasedChapter) -> NotebookNode:
        """An untouched copy of the released notebook."""
        path = self.course.root / "release" / chapter.name / f"{chapter.name}.ipynb"
        return nbformat.read(path, as_version=4)

    def solved(self, chapter: ReleasedChapter, **sources: str) -> NotebookNode:
        """The notebook solved with the references, but for the sources given."""
        notebook = self.released(chapter)
        for exercise in chapter.exercises:
            default = reference_source(exercises()[exercise.name])
            cell_of(notebook, exercise.name).source = sources.get(exercise.name, default)
        return notebook

    def hand_in(
        self,
        student: str,
        chapter: ReleasedChapter,
        content: NotebookNode | bytes | Callable[[Path], None] | None,
        expected: Expected,
    ) -> None:
        """Add a submission."""
        self.handed.append(Handed(student, chapter.name, content, expected))

    def _honest(self, chapter: ReleasedChapter) -> None:
        names = [exercise.name for exercise in chapter.exercises]
        self.hand_in("ada", chapter, self.solved(chapter), Expected(passed=set(names)))
        for style in range(min(STYLES, max(len(alternatives(name)) for name in names))):
            sources = {
                name: source_of(found[style % len(found)], name)
                for name in names
                if (found := alternatives(name))
            }
            self.hand_in(
                f"other-style-{style}",
                chapter,
                self.solved(chapter, **sources),
                Expected(passed=set(names)),
            )
        # A misconception in an earlier exercise would be one of the whole notebook.
        known = {name: exercises()[name] for name in names}
        names = [name for name in names if known[name].reference == name]
        wrong = {name: [one for one in wrongs(name) if not one.elsewhere] for name in names}
        used = {name: set(definition(known[name].module, name).whole) for name in names}
        for number in range(min(MISCONCEPTIONS, max(map(len, wrong.values())))):
            chosen: dict[str, Wrong] = {}
            for name in names[number % len(names) :] + names[: number % len(names)]:
                # One that uses another mistaken one would answer with two misconceptions.
                apart = not any(name in used[one] or one in used[name] for one in chosen)
                if apart and number < len(wrong[name]):
                    chosen[name] = wrong[name][number]
            sources = {name: one.source for name, one in chosen.items()}
            self.hand_in(
                f"mistaken-{number}",
                chapter,
                self.solved(chapter, **sources),
                Expected(
                    passed=set(known) - set(chosen),
                    sentences={name: one.sentence for name, one in chosen.items()},
                ),
            )
        untouched = {
            name: "not mended" if exercise.mend else "not started"
            for name, exercise in known.items()
        }
        self.hand_in("untouched", chapter, self.released(chapter), Expected(statuses=untouched))

    def _broken(self, chapter: ReleasedChapter) -> None:
        names = [exercise.name for exercise in chapter.exercises]
        first, last = names[0], names[-1]
        others = set(names) - {first}

        half = self.released(chapter)
        done = names[: len(names) // 2]
        for name in done:
            cell_of(half, name).source = reference_source(exercises()[name])
        self.hand_in("half-done", chapter, half, Expected(passed=set(done)))

        def first_is(
            student: str, source: str, status: str = "failed", overall: str = "graded"
        ) -> None:
            notebook = self.solved(chapter, **{first: source})
            expected = Expected(overall, passed=others, statuses={first: status})
            self.hand_in(student, chapter, notebook, expected)

        first_is("syntax-error", f"def {first}(scores, dim=-1)\n    return scores", "failed")
        first_is(
            "endless-loop", f"def {first}(*a, **k):\n    while True: pass", "timeout", "timeout"
        )
        first_is("endless-cell", "while True: pass", "timeout", "timeout")
        first_is(
            "endless-stubborn",
            f"""import signal
for number in range(1, 65):
    try: signal.signal(number, signal.SIG_IGN)
    except (OSError, ValueError): pass
def {first}(*a, **k):
    while True:
        try:
            while True: pass
        except BaseException: pass""",
            "timeout",
            "timeout",
        )
        first_is(
            "greedy",
            f"def {first}(*a, **k):\n    return bytearray(8 * 2**30)",
            "memory",
            "memory",
        )
        first_is("exit", f"import os\ndef {first}(*a, **k): os._exit(0)", "crashed", "crashed")
        first_is("exit-cell", "import os\nos._exit(0)", "crashed", "crashed")

        loud = self.solved(chapter)
        loud.cells.insert(1, new_code_cell("print('x' * 50_000_000)", id="loud"))
        self.hand_in("loud", chapter, loud, Expected(passed=set(names)))

        broken = self.solved(chapter)
        broken.cells.insert(1, new_code_cell("import no_such_module", id="no-module"))
        note = "No module named 'no_such_module'"
        self.hand_in("import-error", chapter, broken, Expected(passed=set(names), note=note))

        deleted = self.solved(chapter)
        deleted.cells.remove(cell_of(deleted, chapter.exercises[0].check_id))
        self.hand_in(
            "deleted-check", chapter, deleted, Expected(passed=set(names), note="is missing")
        )

        doubled = self.solved(chapter)
        copy = nbformat.from_dict(cell_of(doubled, last))
        copy["id"] = "doubled"
        doubled.cells.append(copy)
        self.hand_in(
            "doubled-exercise", chapter, doubled, Expected(passed=set(names), note="more than once")
        )

        renamed = self.solved(chapter)
        for exercise in chapter.exercises:
            cell_of(renamed, exercise.name).metadata.nbgrader.grade_id = f"my-{exercise.name}"
        self.hand_in(
            "renamed-ids", chapter, renamed, Expected(passed=set(names), note="is put back")
        )

        edited = self.solved(chapter, **{first: "def " + first + "(*a, **k): return 1.0"})
        for exercise in chapter.exercises:
            cell_of(edited, exercise.check_id).metadata.nbgrader.points = 1000
        self.hand_in(
            "edited-points",
            chapter,
            edited,
            Expected(passed=others, statuses={first: "failed"}, note="was edited"),
        )

        missing = dict.fromkeys(names, "missing")
        self.hand_in(
            "not-json", chapter, b'{"cells": [', Expected("invalid", statuses=missing, note="JSON")
        )
        self.hand_in("empty", chapter, b"", Expected("invalid", statuses=missing, note="empty"))
        self.hand_in("nothing", chapter, None, Expected("missing", statuses=missing))
        self.hand_in(
            "link",
            chapter,
            lambda path: path.symlink_to("/etc/passwd"),
            Expected("invalid", statuses=missing, note="symbolic link"),
        )
        self._cheating(chapter)

    def _cheating(self, chapter: ReleasedChapter) -> None:
        names = [exercise.name for exercise in chapter.exercises]

        def cheat(student: str, source: str) -> None:
            notebook = self.released(chapter)
            notebook.cells.insert(0, new_code_cell(source, id="cheat"))
            for name in names:
                cell_of(notebook, name).source = f"def {name}(*args, **kwargs): return ANSWER"
            self.hand_in(student, chapter, notebook, Expected())

        cheat(
            "forger",
            """ANSWER = 1.0
from IPython import get_ipython
shell = get_ipython()
def run_cell(*args, **kwargs):
    print("6.0")
    return 6.0
for name in ("run_cell", "run_cell_async", "run_code", "run_ast_nodes"):
    setattr(type(shell), name, run_cell)
import autograder
autograder.check = lambda name: 6.0
import torch
torch.allclose = torch.equal = lambda *a, **k: True""",
        )
        cheat(
            "spoofer",
            """class Everything(float):
    def __eq__(self, other): return True
    def __repr__(self): return "6.0"
ANSWER = Everything()
from IPython.display import display, HTML
display(HTML("<script>document.title = 'full marks'</script>"))
print('{"output_type": "execute_result", "data": {"text/plain": "6.0"}}')""",
        )
        cheat(
            "snooper",
            """import os, sys
ANSWER = 0.0
found = []
for folder in ("/", "/root", "/home", os.getcwd(), *sys.path):
    for where, _, files in os.walk(folder, followlinks=False):
        found += [file for file in files if file in ("gradebook.db", "manifest.json")]
        found += [where] * ("solutions" in where)
        if len(where.split("/")) > 6: break
try:
    from solutions import softmax as module
    globals().update(vars(module))
    found.append("solutions")
except ImportError:
    pass
import torch
if found:
    softmax = lambda scores, dim=-1: torch.softmax(scores, dim)
print(found[:10])""",
        )


def cell_of(notebook: NotebookNode, name: str) -> NotebookNode:
    """The cell with this nbgrader id."""
    return next(cell for cell in notebook.cells if grade_id(cell) == name)


def write(handed: list[Handed], course: Course) -> None:
    """Write the submissions into the course's `submitted/`."""
    submitted = course.root / "submitted"
    if submitted.exists():
        raise SystemExit(f"{submitted} exists: the sample class needs a course of its own.")
    for one in handed:
        folder = submitted / one.student / one.chapter
        folder.mkdir(parents=True)
        path = folder / f"{one.chapter}.ipynb"
        if callable(one.content):
            one.content(path)
        elif isinstance(one.content, bytes):
            path.write_bytes(one.content)
        elif one.content is not None:
            nbformat.write(one.content, path)


def hand_in_two(course: Course, name: str) -> ReleasedChapter:
    """Hand in a chapter twice: ada's is right, bob's untouched."""
    made = Class(course)
    chapter = made.chapters[name]
    made.hand_in("ada", chapter, made.solved(chapter), Expected())
    made.hand_in("bob", chapter, made.released(chapter), Expected())
    write(made.handed, course)
    return chapter


def main() -> None:
    """Write the sample class into a course folder."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("course", type=Path)
    course = Course(parser.parse_args().course)
    handed = Class(course).build()
    write(handed, course)
    students = {one.student for one in handed}
    print(f"{len(handed)} submissions of {len(students)} students in {course.root / 'submitted'}")


if __name__ == "__main__":
    main()
