"""A second class: honest work as students and platforms send it, and a few who mean no good.

Each submission is made from the released notebooks and the references, and says what it must score,
what must be said about it, and that nothing else is. The sentences stand here in full: they are
what a student or a teacher reads.
"""

import json
import os
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import nbformat
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_output

from autograder.checking import exercises
from autograder.grading.course.folder import Course
from tests.sample_class import Class, cell_of, reference_source

HandIn = Callable[[Path], None]  # into the student's own folder
LIMIT_SECONDS = 9.0
MEGABYTE = 10**6


@dataclass(frozen=True)
class Sent:
    """One submission of one chapter, and what must come of it."""

    student: str
    chapter: str
    hand_in: HandIn
    # Of the exercises that do not pass: the status, and the words that are said.
    lost: dict[str, tuple[str, str]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()  # to the teacher, whole
    status: str = "graded"


@dataclass(frozen=True)
class Stray:
    """What lies in `submitted/` and is nobody's submission, and the sentence that says so."""

    hand_in: HandIn  # into `submitted/`
    sentence: str


class Term:
    """Notebooks of the chapters that this class works on."""

    def __init__(self, course: Course) -> None:
        self.course = course
        self._made = Class(course)
        self.small = self._chapter("double")
        self.large = self._chapter("softmax")
        self.layers = self._chapter("EncoderBlock")
        self.chapters = [self.small, self.large, self.layers]

    def _chapter(self, name: str) -> str:
        return next(
            chapter.name
            for chapter in self._made.chapters.values()
            if name in [exercise.name for exercise in chapter.exercises]
        )

    def names(self, chapter: str) -> list[str]:
        """The exercises of a chapter."""
        return [exercise.name for exercise in self._made.chapters[chapter].exercises]

    def solved(self, chapter: str, **sources: str) -> NotebookNode:
        """The chapter solved with the references, but for the sources given."""
        return self._made.solved(self._made.chapters[chapter], **sources)

    def released(self, chapter: str) -> NotebookNode:
        """The chapter untouched."""
        return self._made.released(self._made.chapters[chapter])

    def every(self, status: str) -> dict[str, tuple[str, str]]:
        """Every exercise of the small chapter, with the same status."""
        return dict.fromkeys(self.names(self.small), (status, ""))

    def everybody(self) -> Iterator[Sent]:
        """The whole class."""
        yield from self._names_and_folders()
        yield from self._times()
        yield from self._written_by_other_programs()
        yield from self._edited()
        yield from self._imports()
        yield from self._forbidden_names()
        yield from self._code_elsewhere()
        yield from self._errors()
        yield from self._one_mistake_once()
        yield from self._habits()
        yield from self._hostile()

    def _names_and_folders(self) -> Iterator[Sent]:
        right = text(self.solved(self.small))
        number, _, word = self.small.partition("-")
        plain = {
            "as-asked": f"{self.small}/{self.small}.ipynb",
            "downloaded-twice": f"{self.small}/{self.small} (1).ipynb",
            "copied-in-jupyter": f"{self.small}/{self.small}-Copy1.ipynb",
            "with-underscores": f"{self.small}/{self.small.replace('-', '_')}.ipynb",
            "with-a-surname": f"{self.small}/Lovelace {self.small}.ipynb",
            "nested": f"{self.small}/Homework/Week 1/{self.small}.ipynb",
            "one-level-up": f"{self.small}.ipynb",
            "chapter-by-number": f"Chapter {int(number)}/Untitled.ipynb",
            "chapter-by-word": f"{word}/notebook.ipynb",
            "with-txt": f"{self.small}/{self.small}.ipynb.txt",
            "in-capitals": f"{self.small.upper()}/{self.small.upper()}.IPYNB",
            "Zoë Müller": f"{self.small}/Übung 1.ipynb",
            "line\u2028separator": f"{self.small}/{self.small}.ipynb",
        }
        for student, name in plain.items():
            yield Sent(student, self.small, file(name, right))
        yield Sent("zipped", self.small, zipped(f"{self.small}/work.zip", {"w/n.ipynb": right}))
        both = {f"all/{self.small}.ipynb": right, "__MACOSX/._x.ipynb": b"\0\5"}
        both[f"all/{self.large}.ipynb"] = text(self.solved(self.large))
        yield Sent("both-in-one-zip", self.small, zipped("homework.zip", both))
        yield Sent("both-in-one-zip", self.large, nothing)
        first, second = (f"{self.small}/{self.small} ({number}).ipynb" for number in (1, 2))
        yield Sent("the-same-twice", self.small, several(file(first, right), file(second, right)))
        untouched = text(self.released(self.small))
        own = f"{self.small}/{self.small}.ipynb"
        yield Sent(
            "the-right-name-counts",
            self.small,
            several(file(own, right), file(first, untouched)),
            notes=(f"{own} is graded, and not {first} beside it",),
        )
        yield Sent(
            "two-different",
            self.small,
            several(file(first, right), file(second, untouched)),
            lost=self.every("missing"),
            notes=(
                f"there are 2 different notebooks of this chapter ({first}, {second}); leave the "
                f"one that counts, as {own}",
            ),
            status="invalid",
        )
        yield Sent(
            "nothing-but-a-report",
            self.small,
            file(f"{self.small}/report.pdf", b"%PDF-1.7"),
            lost=self.every("missing"),
            notes=("no notebook was handed in",),
            status="missing",
        )
        yield Sent(
            "a-link",
            self.small,
            lambda folder: linked(folder / own),
            lost=self.every("missing"),
            notes=("the notebook is a symbolic link; a submission must be a plain file",),
            status="invalid",
        )

    def strays(self) -> list[Stray]:
        """Files of which it is not plain whose they are, or of which chapter."""
        right = text(self.solved(self.small))
        foreign = text(nbformat.v4.new_notebook(cells=[new_code_cell("x = 1")]))
        return [
            Stray(file("loose.ipynb", right), "submitted/loose.ipynb is in no student's folder"),
            Stray(
                file(f"{self.small}/ada/{self.small}.ipynb", right),
                f"submitted/{self.small} has a chapter's name: the folders there are the students'",
            ),
            Stray(
                file("as-asked/essay.ipynb", foreign),
                "submitted/as-asked/essay.ipynb does not show which chapter it is",
            ),
            Stray(
                file("as-asked/broken.zip", b"PK\3\4"),
                "submitted/as-asked/broken.zip cannot be unpacked",
            ),
        ]

    def _times(self) -> Iterator[Sent]:
        right = file(f"{self.small}/{self.small}.ipynb", text(self.solved(self.small)))
        unknown = (
            'timestamp.txt says "{}", which is neither ISO 8601 nor a time in UTC, so it does not '
            "count as late: write it as in 2026-10-12 21:58:03 UTC"
        )
        late = (
            "it is late by its file's name, which does not say when it came; no points are taken "
            "off until timestamp.txt says so: write it as in 2026-10-12 21:58:03 UTC"
        )
        cases = {
            "utc": ("2026-10-12 21:58:03 UTC", ()),
            "iso": ("2026-10-12T23:58:03+02:00\r\n", ()),
            "day-first": ("12.10.2026 21:58", (unknown.format("12.10.2026 21:58"),)),
            "gibberish": ("yesterday at noon", (unknown.format("yesterday at noon"),)),
        }
        for student, (stamp, notes) in cases.items():
            stamped = file(f"{self.small}/timestamp.txt", stamp.encode())
            yield Sent(f"time-{student}", self.small, several(right, stamped), notes=notes)
        name = f"{self.small}/lovelaceada_LATE_12345_678_{self.small}-1.ipynb"
        by_canvas = file(name, text(self.solved(self.small)))
        yield Sent("late-by-canvas", self.small, by_canvas, notes=(late,))

    def _written_by_other_programs(self) -> Iterator[Sent]:
        small = f"{self.small}/{self.small}.ipynb"
        for student, end in (("windows", "\r\n"), ("old-mac", "\r")):
            notebook = self.solved(self.large)
            for cell in notebook.cells:
                cell.source = cell.source.replace("\n", end)
            yield self.sent(f"{student}-line-ends", self.large, notebook)
        lines = text(self.solved(self.small)).replace(b"\n", b"\r\n")
        yield Sent("windows-file", self.small, file(small, lines))
        mark = b"\xef\xbb\xbf" + text(self.solved(self.small))
        yield Sent("byte-order-mark", self.small, file(small, mark))

        colab = self.solved(self.small)
        colab.metadata.colab = {"provenance": [], "gpuType": "T4"}
        for number, cell in enumerate(colab.cells):
            cell.id = f"colab-{number}"
            cell.metadata |= {"id": f"aB3_{number}", "colab": {"base_uri": "https://colab"}}
        yield self.sent("colab", self.small, colab)
        code = json.loads(text(self.solved(self.small))) | {"nbformat_minor": 4}
        for cell in code["cells"]:
            del cell["id"]
            cell["metadata"]["vscode"] = {"languageId": "python"}
        yield Sent("vs-code", self.small, file(small, json.dumps(code).encode()))
        old = nbformat.convert(self.solved(self.small), 3)
        yield Sent("format-3", self.small, file(small, nbformat.v3.writes_json(old).encode()))

        heavy = self.solved(self.small)
        cell = next(cell for cell in heavy.cells if cell.cell_type == "code")
        picture = "iVBORw0KGgo" + "A" * (25 * MEGABYTE)
        cell.outputs = [new_output("display_data", {"image/png": picture})]
        yield self.sent("25-megabytes-of-outputs", self.small, heavy)
        attached = self.solved(self.small)
        attached.cells.append(
            new_markdown_cell("![me](attachment:me.png)", attachments={"me.png": {"image/png": ""}})
        )
        yield self.sent("attachment", self.small, attached)

    def _edited(self) -> Iterator[Sent]:
        def marks(student: str, change: Callable[[NotebookNode], None], *notes: str) -> Sent:
            notebook = self.solved(self.small)
            change(notebook)
            return self.sent(student, self.small, notebook, notes=notes)

        check = "check-double"

        def tags(notebook: NotebookNode) -> None:
            for cell in notebook.cells:
                cell.metadata |= {"tags": ["mine"], "collapsed": True, "editable": True}

        def points(notebook: NotebookNode) -> None:
            cell_of(notebook, check).metadata.nbgrader.points = 100

        def strip(notebook: NotebookNode) -> None:
            for name in ("double", check):
                del cell_of(notebook, name).metadata["nbgrader"]

        def twice(notebook: NotebookNode) -> None:
            copy = nbformat.from_dict(cell_of(notebook, "double"))
            copy["id"] = "copy"
            notebook.cells.append(copy)

        def without_check(notebook: NotebookNode) -> None:
            notebook.cells.remove(cell_of(notebook, check))

        def edit_check(notebook: NotebookNode) -> None:
            cell_of(notebook, check).source = 'print("hello")\ncheck("double")'

        def heading(notebook: NotebookNode) -> None:
            notebook.cells.append(new_markdown_cell(f"# {check}\n\n<h1 id='{check}'>1</h1>"))

        yield marks("tags-of-an-extension", tags)
        yield marks("points-edited", points, f"the metadata of the cell {check} was edited")
        gone = "the metadata of 2 cells was gone and is put back, by what stands there"
        yield marks("ids-stripped", strip, gone)
        bare = self.solved(self.large)
        for cell in bare.cells:
            cell.metadata = {}
        marked = 2 * len(self.names(self.large)) + 1  # each with its check, and one answer in words
        yield self.sent("metadata-gone", self.large, bare, notes=(gone.replace("2", str(marked)),))
        empty = self.solved(self.large)
        empty.cells = [cell for cell in empty.cells if not cell.metadata.get("nbgrader")]
        first, second = self.names(self.large)[:2]
        names = f"{first} and check-{first} and {second} and check-{second}"
        missing = f"the cells {names} and {marked - 4} more are missing"
        lost = dict.fromkeys(self.names(self.large), ("missing", ""))
        yield self.sent("graded-cells-deleted", self.large, empty, notes=(missing,), lost=lost)
        again = "the cell double was there more than once; the last one is graded"
        yield marks("cell-twice", twice, again)
        yield marks("check-deleted", without_check, f"the cell {check} is missing")
        yield marks("check-edited", edit_check, f"the locked cell {check} was edited")
        yield marks("heading-like-a-check", heading)

    def _imports(self) -> Iterator[Sent]:
        def lacking(package: str) -> str:
            return f"No module named '{package}': grading does not have that package"

        works = {
            "pandas": "import pandas as pd\npd.DataFrame({'x': [1]})",
            "seaborn": "import seaborn as sns\nsns.set_theme()",
            "einops": "from einops import rearrange",
            "jaxtyping": "from jaxtyping import Float",
            "widget": "%matplotlib widget",
            "notebook-magic": "%matplotlib notebook",
            "autoreload": "%load_ext autoreload\n%autoreload 2",
            "shell": "!pip install einops\n!nvidia-smi",
            "pip": "%pip install einops",
            "asks": "name = input('Your name? ')",
            "fails": "print(1 / 0)",
            "cuda": "device = torch.device('cuda')\ntorch.ones(2).to(device)",
            "half-written": "for line in\n",
        }
        for what, line in works.items():
            yield self._first_cell(f"first-cell-{what}", line)
        for package, line in {
            "torchvision": "import torchvision",
            "google": "from google.colab import drive\ndrive.mount('/content/drive')",
            "wandb": "import wandb, math",
            "tensorflow": "import tensorflow as tf",
        }.items():
            yield self._first_cell(f"imports-{package}", line, lacking(package))
        hinted = reference_source(exercises()["softmax"]).replace(
            "scores: Tensor", 'scores: Float[Tensor, "..."]'
        )
        notebook = self.solved(self.large, softmax=hinted)
        in_first_cell(notebook, "from jaxtyping import Float")
        yield self.sent("annotated-with-jaxtyping", self.large, notebook)

    def _first_cell(self, student: str, line: str, *notes: str) -> Sent:
        """An own line between the imports that the exercises need."""
        notebook = self.solved(self.small)
        in_first_cell(notebook, line)
        return self.sent(student, self.small, notebook, notes=notes)

    def _forbidden_names(self) -> Iterator[Sent]:
        right = reference_source(exercises()["softmax"])
        beside = {
            "checks-it": 'check("softmax")',
            "prints-it": 'print("torch.softmax, nn.Softmax")',
            "says-it": '"""Like torch.softmax, F.softmax and nn.LayerNorm."""',
            "tests-it": (
                "x = torch.randn(2, 3)\nassert torch.allclose(softmax(x), torch.softmax(x, -1))"
            ),
            "tests-a-layer": "print(nn.Softmax(-1)(torch.ones(3)), nn.LayerNorm(3))",
            "takes-a-gradient": (
                "z = torch.ones(3, requires_grad=True)\nsoftmax(z).sum().backward()\nprint(z.grad)"
            ),
            "own-static-method": (
                "class Mine:\n    softmax = 3\n    @staticmethod\n    def log_softmax(x): return x"
            ),
        }
        for student, more in beside.items():
            notebook = self.solved(self.large, softmax=f"{right}\n\n{more}")
            yield self.sent(student, self.large, notebook)
        branch = "    if scores.dim() > 90:\n        return torch.softmax(scores, dim)\n"
        head, _, rest = right.partition("    lowest")
        notebook = self.solved(self.large, softmax=f"{head}{branch}    lowest{rest}")
        note = "softmax names the library's own softmax, which was not seen to be called"
        yield self.sent("names-it-in-a-dead-branch", self.large, notebook, notes=(note,))
        called = (
            "def softmax(scores, dim=-1):\n"
            "    some = (scores > -math.inf).any(dim, keepdim=True)\n"
            "    return torch.softmax(scores.masked_fill(~some, 0), dim) * some"
        )
        lost = {"softmax": ("failed", "the library's own softmax")}
        yield self.sent("calls-it", self.large, self.solved(self.large, softmax=called), lost=lost)

    def _code_elsewhere(self) -> Iterator[Sent]:
        right, wrong = reference_source(exercises()["double"]), "def double(x):\n    return x + 2"
        note = "the code of double stands below its check, and was judged there"
        stub = cell_of(self.released(self.small), "double").source
        below = self.solved(self.small, double=stub)
        below.cells.append(new_code_cell(right))
        yield self.sent("below-the-check", self.small, below, notes=(note,))
        below = self.solved(self.small, double=stub)
        below.cells.append(new_code_cell(wrong))
        lost = {"double": ("failed", "Two was added to every entry")}
        yield self.sent("wrong-below-the-check", self.small, below, lost=lost, notes=(note,))
        parts = self.solved(self.small, double="def double(x):\n    return _twice(x)")
        parts.cells.insert(3, new_code_cell("def _twice(x):\n    return 2 * x"))
        yield self.sent("helper-in-an-own-cell", self.small, parts)
        parts = self.solved(self.small, double="double = lambda x: x * FACTOR")
        parts.cells.insert(3, new_code_cell("FACTOR = 2"))
        yield self.sent("a-lambda-and-a-constant", self.small, parts)

    def _errors(self) -> Iterator[Sent]:
        unfinished = "def double(x)\n    return 2 * x"
        said = "The cell that defines double stopped: SyntaxError in line 1: expected ':'"
        yield self.sent(
            "syntax-error",
            self.small,
            self.solved(self.small, double=unfinished),
            lost={"double": ("failed", said)},
            notes=(f'The submission says: "{said} (`def double(x)`)."',),
        )
        needs = self.solved(self.small, double="def double(x):\n    return ns.twice(x)")
        in_first_cell(needs, "import no_such_package as ns")
        yield self.sent(
            "needs-what-is-not-there",
            self.small,
            needs,
            lost={"double": ("failed", "No module named 'no_such_package'")},
            notes=(
                "No module named 'no_such_package': grading does not have that package",
                'The submission says: "The cell that begins `import no_such_package as ns` would '
                "have defined ns, but stopped: ModuleNotFoundError in line 1: No module named "
                "'no_such_package' (`import no_such_package as ns`).\"",
            ),
        )
        other = self.solved(self.large, sharpen="def sharpen(scores, sharpness):\n  x = 1\n x = 2")
        yield self.sent(
            "indentation-error",
            self.large,
            other,
            lost={"sharpen": ("failed", "IndentationError in line 3")},
            notes=(
                'The submission says: "The cell that defines sharpen stopped: IndentationError in '
                'line 3: unindent does not match any outer indentation level (`x = 2`)."',
            ),
        )
        stub = cell_of(self.released(self.large), "sharpen").source
        half = self.solved(self.large, sharpen=stub)
        yield self.sent("half-done", self.large, half, lost={"sharpen": ("not started", "")})
        yield self.sent(
            "untouched", self.small, self.released(self.small), lost=self.every("not started")
        )

    def _one_mistake_once(self) -> Iterator[Sent]:
        right = reference_source(exercises()["LayerNorm"])
        wrong = right.replace("x - x.mean(dim=-1, keepdim=True)", "x")
        notes = tuple(
            f"{name} is right with the provided LayerNorm, and has its points for that"
            for name in ("EncoderBlock", "Encoder")
        )
        yield self.sent(
            "one-wrong-layer",
            self.layers,
            self.solved(self.layers, LayerNorm=wrong),
            lost={"LayerNorm": ("failed", "")},
            notes=notes,
        )
        left = right.replace("        return", "        self.last = variance\n        return")
        yield self.sent(
            "leftover-attributes", self.layers, self.solved(self.layers, LayerNorm=left)
        )

    def _habits(self) -> Iterator[Sent]:
        habits = {
            "shadowed-builtins": ("sum = max = list = range = 0", ""),
            "shadowed-check": ("def check(name): return 100.0", ""),
            "shadowed-later": ("", "double = 7\ntorch = None"),
            "counts-its-calls": ("", "double.calls = 0"),
            "prints-separators": ("print('a\\u2028b\\u2029c\\x1b[31m')", ""),
            "draws-and-prints": ("import matplotlib.pyplot as plt\nplt.plot([1])\nplt.show()", ""),
            "sets-a-seed-and-a-dtype": (
                "torch.manual_seed(1)\ntorch.set_default_dtype(torch.float64)",
                "",
            ),
            "exits": ("exit()", "quit()"),
        }
        for student, (before, after) in habits.items():
            notebook = self.solved(self.small)
            if before:
                notebook.cells.insert(3, new_code_cell(before))
            if after:
                notebook.cells.append(new_code_cell(after))
            yield self.sent(student, self.small, notebook)

        notebook = self.solved(self.small)
        notebook.cells.append(new_code_cell("for step in range(10**12):\n    pass"))
        note = (
            "the cell that begins `for step in range(10**12):` broke off: it did not finish in time"
        )
        yield self.sent("trains-for-long", self.small, notebook, notes=(note,), status="timeout")

    def _hostile(self) -> Iterator[Sent]:
        name = f"{self.small}/{self.small}.ipynb"
        missing = self.every("missing")
        for student, source, status, words in (
            ("endless", "while True: pass", "timeout", "did not finish in time"),
            ("greedy", "return bytearray(8 * 2**30)", "memory", "memory"),
            ("quits", "import os; os._exit(0)", "crashed", ""),
        ):
            notebook = self.solved(self.small, double=f"def double(x):\n    {source}")
            lost = {"double": (status, words)}
            yield self.sent(student, self.small, notebook, lost=lost, status=status)
        # Who is not root cannot look into it, and says so; root can.
        yield Sent("locked-folder", self.small, self._locked, **self._if_locked())
        forged = self.solved(self.small, double="def double(x):\n    return 1.0")
        cell_of(forged, "check-double").source = "1.0"
        note = "the locked cell check-double was edited"
        lost = {"double": ("failed", "")}
        yield self.sent("forged-score", self.small, forged, lost=lost, notes=(note,))
        page = self.solved(self.small)
        page.cells.append(new_code_cell("from IPython.display import HTML\nHTML('<script>1')"))
        page.cells.append(
            new_markdown_cell("<script>alert(1)</script><img src=x onerror=alert(1)>")
        )
        yield self.sent("a-script", self.small, page)
        no_json = "the file is not valid JSON"
        for student, content, note in (
            ("empty-file", b"", "the file is empty"),
            (
                "half-a-file",
                b'{"cells": [',
                f"{no_json} (Expecting value: line 1 column 12 (char 11))",
            ),
            (
                "a-web-page",
                b"<!DOCTYPE html>",
                f"{no_json} (Expecting value: line 1 column 1 (char 0))",
            ),
        ):
            broken = file(name, content)
            yield Sent(student, self.small, broken, missing, (note,), status="invalid")

    def _locked(self, folder: Path) -> None:
        file(f"{self.small}/{self.small}.ipynb", text(self.solved(self.small)))(folder)
        (folder / self.small).chmod(0)

    def _if_locked(self) -> dict[str, Any]:
        if os.geteuid() == 0:
            return {}
        unread = "the notebook cannot be read (Permission denied)"
        lost = self.every("missing")
        return {"lost": lost, "notes": (unread,), "status": "invalid"}

    def sent(self, student: str, chapter: str, notebook: NotebookNode, **expected: Any) -> Sent:
        """A notebook under its own name in its own folder."""
        return Sent(
            student, chapter, file(f"{chapter}/{chapter}.ipynb", text(notebook)), **expected
        )


def in_first_cell(notebook: NotebookNode, line: str) -> None:
    """Put a line of one's own among the imports that the notebook begins with."""
    cell = next(cell for cell in notebook.cells if cell.source.startswith("import math"))
    cell.source = f"{line}\n{cell.source}"


def text(notebook: NotebookNode) -> bytes:
    """A notebook as a file, like Jupyter's."""
    return nbformat.writes(notebook).encode()


def file(name: str, content: bytes) -> HandIn:
    """Hand in one file."""

    def hand_in(folder: Path) -> None:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)

    return hand_in


def several(*parts: HandIn) -> HandIn:
    """Hand in several files."""

    def hand_in(folder: Path) -> None:
        for part in parts:
            part(folder)

    return hand_in


def zipped(name: str, inside: dict[str, bytes]) -> HandIn:
    """Hand in a zip."""

    def hand_in(folder: Path) -> None:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for member, content in inside.items():
                archive.writestr(member, content)

    return hand_in


def nothing(folder: Path) -> None:
    """What was handed in lies there already."""


def linked(path: Path) -> None:
    """A link to a file of the machine."""
    path.parent.mkdir(parents=True)
    path.symlink_to("/etc/passwd")
