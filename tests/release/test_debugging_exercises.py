"""Code that is given with one misconception: what a release makes of it, and where it ends up."""

import json
from pathlib import Path

import nbformat
import pytest
from nbgrader.api import Gradebook

from autograder.errors import ReleaseError
from autograder.notebook.feedback import MIME
from autograder.release.book import Book
from autograder.release.build import release
from autograder.release.chapter import ChapterNotebook
from autograder.release.debugging_exercises import DebuggingExercises, as_given
from autograder.release.recipe import make_source
from autograder.release.references import References
from tests.release.miniature import CHECKS, chapter_cells, check_cell, exercise_cell, write_chapter
from tests.release.student import complaints, results, run, unpack

MISCONCEPTIONS = (
    CHECKS.replace("exercise, misconceptions", "exercise, mend, misconceptions")
    + """
misconceptions["Scale"] = {
    "added": ("The factor is added.", {"x * self.factor": "x + self.factor"}),
}
"""
)
IN_PLACE = MISCONCEPTIONS.replace('"03-tiny", points=1', '"03-tiny", points=1, mend="added"')
BESIDE = 'mend("mean", "sum", points=1)\n'
MENDED = '''\
def mend_mean(values: Sequence) -> Tensor:
    """The mean of some numbers.

    Shapes: values (S); returns a scalar.
    """
    return total(values)'''


def beside(name: str = "mean"):
    """The cell of an exercise to be mended beside the one to write."""
    cell = exercise_cell(f"mend_{name}")
    cell.source = f"from solutions.tiny import {name} as mend_{name}"
    return cell


def chapter(root: Path, *cells, text: str = MISCONCEPTIONS + BESIDE) -> ChapterNotebook:
    (root / "solutions" / "tiny" / "check.py").write_text(text)
    path = write_chapter(root, [*chapter_cells(), *cells])
    return ChapterNotebook.read(path, References(root / "solutions"), Book.of(root))


def source(root: Path, name: str, **options) -> str:
    """What the cell of an exercise holds on the way to the students."""
    made = nbformat.reads(make_source(chapter(root, **options)), as_version=4)
    return next(cell.source for cell in made.cells if cell.id == f"{name}-exercise")


def test_the_cell_beside_has_its_own_name_and_no_comment(tiny):
    made = make_source(chapter(tiny, beside(), check_cell("mend_mean", 1)))
    cells = {cell.id: cell for cell in nbformat.reads(made, as_version=4).cells}
    assert cells["mend_mean-exercise"].source == MENDED
    assert cells["mend_mean-exercise"].metadata.mend is True
    assert "BEGIN SOLUTION" in cells["mean-exercise"].source


def test_the_cell_in_the_place_of_the_written_one_keeps_the_name(tiny):
    text = source(tiny, "Scale", text=IN_PLACE)
    assert text.startswith("class Scale(nn.Module):\n")
    assert "wide = x + self.factor\n" in text and "#" not in text.replace("# (..., E)", "")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (MISCONCEPTIONS, r"has no `mend\('mean', ...\)` for the exercise mend_mean"),
        (MISCONCEPTIONS + 'mend("mean", "other", points=1)', "mean has no misconception 'other'"),
        (
            MISCONCEPTIONS.replace("math.prod", "math.sqrt") + BESIDE,
            "The misconception to be mended in mean does not fit: .* stands 0 times in mean",
        ),
        (
            MISCONCEPTIONS.replace(
                '{"/ math.prod([len(values)])": ""}', 'by({"a": "b"}, within="total")'
            )
            + BESIDE,
            "'sum' of mean cannot be given to mend",
        ),
        (MISCONCEPTIONS.replace('{"/ math', 'CHANGES or {"/ math') + BESIDE, "must be written out"),
    ],
)
def test_what_cannot_be_given_to_mend_is_said_in_one_sentence(tiny, text, sentence):
    with pytest.raises(ReleaseError, match=sentence):
        make_source(chapter(tiny, beside(), check_cell("mend_mean", 1), text=text))


def test_another_name_than_that_of_the_exercise_is_refused(tiny):
    cell = beside()
    cell.source = "from solutions.tiny import mean as average"
    with pytest.raises(ReleaseError, match="may hold nothing but"):
        make_source(chapter(tiny, cell, check_cell("mend_mean", 1)))


def test_the_course_s_own_broken_code_differs_and_is_short_of_nothing():
    root = Path(__file__).resolve().parents[2]
    references = References(root / "solutions")
    mends = DebuggingExercises(references)
    for path in sorted((root / "book").glob("[0-9][0-9]-*.ipynb")):
        for cell in ChapterNotebook.read(path, references, Book.of(root)).original.cells:
            name = cell.metadata.get("nbgrader", {}).get("grade_id", "")
            if not name.startswith("mend_"):
                continue
            module = cell.source.split()[1].removeprefix("solutions.")
            broken = mends.with_misconception(module, name)
            right = references.find(module, name.removeprefix("mend_"))
            assert as_given(broken, name) != as_given(right, name)


@pytest.mark.slow
def test_from_the_release_to_the_student_and_back(tiny_with_tools, tmp_path):
    """One test, since every step needs the one before it and the first costs the most."""
    chapter(tiny_with_tools, beside(), check_cell("mend_mean", 1), text=IN_PLACE + BESIDE)
    released = release(root=tiny_with_tools)
    manifest = json.loads((released.course / "manifest.json").read_text())
    exercises = manifest["chapters"]["03-tiny"]["exercises"]
    assert [(one["name"], one["reference"], one["points"]) for one in exercises] == [
        ("mean", "mean", 2.0),
        ("Scale", "Scale", 1.0),
        ("mend_mean", "mean", 1.0),
    ]
    with Gradebook(f"sqlite:///{released.course / 'gradebook.db'}") as gradebook:
        assert gradebook.find_assignment("03-tiny").max_score == 6

    # nbgrader leaves what is to be mended as it is
    folder, site = unpack(released.bundle, tmp_path)
    path = folder / "03-tiny.ipynb"
    notebook = nbformat.read(path, as_version=4)
    cells = {cell.id: cell for cell in notebook.cells}
    assert cells["mend_mean-exercise"].source == MENDED
    assert "raise NotImplementedError" in cells["mean-exercise"].source
    assert "x + self.factor" in cells["Scale-exercise"].source

    # untouched it earns nothing, and is told to be so
    untouched = run(path, site)
    assert complaints(untouched) == []
    assert results(untouched) == {
        "check-mean": "0.0",
        "check-Scale": "0.0",
        "check-mend_mean": "0.0",
    }
    said = {
        verdict["name"]: verdict["status"]
        for cell in untouched.cells
        for output in cell.get("outputs", [])
        if (verdict := output.get("data", {}).get(MIME))
    }
    assert said == {"mean": "not started", "Scale": "not mended", "mend_mean": "not mended"}

    # mended, or written anew, it is right
    cells["mend_mean-exercise"].source = MENDED + " / len(values)"
    cells["Scale-exercise"].source = (
        "class Scale(nn.Linear):\n"
        "    def __init__(self, size):\n"
        "        super().__init__(1, 1)\n"
        "        del self.weight, self.bias\n"
        "        self.factor = nn.Parameter(torch.ones(size))\n"
        "    def forward(self, x):\n"
        "        return torch.einsum('...e,e->...e', x, self.factor)\n"
    )
    nbformat.write(notebook, path)
    ran = run(path, site)
    assert complaints(ran) == []
    assert results(ran) == {"check-mean": "0.0", "check-Scale": "1.0", "check-mend_mean": "1.0"}
