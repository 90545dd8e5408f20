"""Tables on a phone: one that scrolls anyway has no column that is squeezed."""

import pytest

SQUEEZED = """(table) => [...table.querySelectorAll("td")].filter((cell) =>
  cell.textContent.length > 9 && cell.getBoundingClientRect().width < 100)
  .map((cell) => cell.textContent)"""


@pytest.mark.parametrize("page", ["14-real-writer", "masks"])
def test_squeezes_a_table_that_scrolls_no_column(opened, page):
    seen = opened(page, 390).page
    tables = seen.locator("table.wide").all()
    assert tables
    for table in tables:
        assert table.evaluate(SQUEEZED) == []
        box = table.evaluate("(table) => [table.scrollWidth, table.parentElement.clientWidth]")
        assert box[0] > box[1]


@pytest.mark.parametrize("page", ["00-start-here", "01-lookup", "02-softmax"])
def test_does_a_table_that_fits_a_phone_not_scroll(opened, page):
    seen = opened(page, 390).page
    sizes = "(table) => table.scrollWidth - table.parentElement.clientWidth"
    assert all(table.evaluate(sizes) <= 1 for table in seen.locator("table.table").all())
