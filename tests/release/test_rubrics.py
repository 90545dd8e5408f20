"""What a teacher has beside the formgrader."""

import re

import pytest

from autograder.files import REPOSITORY
from autograder.release.rubrics import main
from tests.release.miniature import answer_cell, chapter_cells, write_chapter

ANSWER = """\
::::{dropdown} An example answer
The share is {glue:text}`share:.3f`, as {cite:t}`three2020` found; see {term}`softmax`.

:::{note}
Or so.
:::
::::"""


@pytest.fixture
def said(tiny, capsys):
    """What is printed of a chapter with this example answer."""

    def say(answer: str) -> str:
        cell = answer_cell()
        cell.source = answer
        cell.metadata.rubric = ["1 point: says {glue:text}`share`."]
        (tiny / "book" / "glossary.md").write_text("```{glossary}\nsoftmax\n  Shares.\n```\n")
        write_chapter(tiny, [*chapter_cells()[:-1], cell])
        main(["03-tiny"], tiny)
        return capsys.readouterr().out

    return say


def test_points_rubric_and_example_are_printed_together_with_their_numbers(said):
    wanted = [
        "03-tiny: find-out-why, 2 points",
        "- 1 point: says 0.25.",
        "An example answer:",
        "The share is 0.250, as [Björk et al. (2020)](https://example.org/three) found; see "
        "[softmax](https://example.org/book/glossary.html#term-softmax).",
        "> Or so.",
    ]
    text = said(ANSWER)
    assert [text.index(part) for part in wanted] == sorted(text.index(part) for part in wanted)


@pytest.mark.slow
def test_no_mark_of_the_book_s_is_left_in_the_course_s_own(capsys):
    main([], REPOSITORY)
    text = capsys.readouterr().out
    assert text.count("An example answer:") > 5
    assert not re.search(r"\{[\w:]+\}`|^\s*(:::|```\{)|<details>", text, re.MULTILINE)


def test_a_number_that_no_cell_has_is_said_in_a_sentence(said):
    with pytest.raises(SystemExit, match="'why' quotes the number 'other', which no stored output"):
        said("It is {glue:text}`other`.")


def test_a_chapter_that_is_not_there_is_said(tiny):
    with pytest.raises(SystemExit, match="no chapter '04-tiny'; there are: 03-tiny"):
        main(["04-tiny"], tiny)
