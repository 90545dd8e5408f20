"""Provided cells: earlier exercises in full."""

import pytest

from autograder.errors import ReleaseError
from autograder.release.book import Book
from autograder.release.chapter import ChapterNotebook
from autograder.release.recipe.cut_stubs import cut_stubs
from autograder.release.recipe.inline_provided import inline_provided
from autograder.release.references import References
from tests.release.miniature import (
    check_cell,
    exercise_cell,
    provided_cell,
    setup_cell,
    write_chapter,
)


def chapter_of(root, cells) -> ChapterNotebook:
    path = write_chapter(root, cells)
    return ChapterNotebook.read(path, References(root / "solutions"), Book.of(root))


def test_it_brings_what_it_uses_and_the_notebook_lacks(tiny):
    chapter = chapter_of(tiny, [setup_cell(), provided_cell("total", "earlier")])
    inline_provided(chapter)
    source = chapter.notebook.cells[1].source
    assert source.index("def ones_like") < source.index("def total")
    assert "import" not in source  # the setup cell has it all
    namespace: dict = {}
    exec(chapter.notebook.cells[0].source.replace("from autograder import check", ""), namespace)
    exec(source, namespace)
    assert namespace["total"](namespace["torch"].arange(4.0)) == 6


def test_it_does_not_repeat_what_is_there(tiny):
    cells = [provided_cell("ones_like", "earlier"), provided_cell("total", "earlier")]
    chapter = chapter_of(tiny, [setup_cell(), *cells])
    inline_provided(chapter)
    assert "def ones_like" not in chapter.notebook.cells[2].source


def test_it_imports_what_the_notebook_has_not(tiny):
    chapter = chapter_of(tiny, [provided_cell("ones_like", "earlier")])
    inline_provided(chapter)
    first, second, *_ = chapter.notebook.cells[0].source.split("\n")
    assert first == "from torch import Tensor"
    assert second == "from torch.nn import functional as F"


def test_an_exercise_that_builds_on_what_is_nowhere_defined_is_refused(tiny):
    chapter = chapter_of(tiny, [setup_cell(), exercise_cell("mean"), check_cell("mean")])
    inline_provided(chapter)
    with pytest.raises(ReleaseError, match="from solutions.earlier import total"):
        cut_stubs(chapter)


def test_an_exercise_that_needs_an_import_is_refused(tiny):
    setup = setup_cell()
    setup.source = setup.source.replace("from collections.abc import Sequence\n", "")
    chapter = chapter_of(tiny, [setup, provided_cell("total", "earlier"), exercise_cell("mean")])
    inline_provided(chapter)
    with pytest.raises(ReleaseError, match="add `from collections.abc import Sequence`"):
        cut_stubs(chapter)
