"""Is what a chapter needs read from its code and its opening?"""

import pytest
from nbformat import write
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook


@pytest.fixture
def needs(tmp_path, extension):
    book, solutions = tmp_path / "book", tmp_path / "solutions"
    book.mkdir()
    solutions.mkdir()

    def of(**pages: list[str]) -> dict[str, set[str]]:
        for name, cells in pages.items():
            page = name.removeprefix("c").replace("_", "-")
            opening, *code = cells
            made = [new_markdown_cell(f"# {page}\n\n{opening}"), *map(new_code_cell, code)]
            write(new_notebook(cells=made), book / f"{page}.ipynb")
        (solutions / "third").mkdir()
        reference = solutions / "third" / "reference.py"
        reference.write_text("from solutions.second import two\n")
        return {
            page: set(chapter.needs) for page, chapter in extension("course").chapters(book).items()
        }

    return of


def test_a_chapter_needs_what_it_imports_and_what_its_opening_links_back_to(needs):
    found = needs(
        c01_first=["Later comes [chapter 2](02-second.ipynb)."],
        c02_second=["One question."],
        c03_third=["Another one, and [a page](glossary.md)."],
        c04_fourth=["As in [chapter 1](01-first.ipynb).", "from solutions.third import three"],
    )
    assert found == {
        "01-first": set(),
        "02-second": set(),
        "03-third": {"02-second"},
        "04-fourth": {"01-first", "03-third"},
    }


def test_an_opening_ends_at_the_first_section_or_fold(needs):
    link = "As in [chapter 1](01-first.ipynb)."
    found = needs(
        c01_first=["One."],
        c05_fifth=[f"One.\n\n## Then\n\n{link}"],
        c06_sixth=[f"One.\n\n:::{{dropdown}} More\n{link}\n:::"],
    )
    assert found == {"01-first": set(), "05-fifth": set(), "06-sixth": set()}
