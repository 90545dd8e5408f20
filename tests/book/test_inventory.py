"""The twenty questions before and after the course, on their page."""

from collections import Counter

import nbformat
import pytest

from autograder.release.questions import inventory
from tests.book.parsed import SITE
from tests.release.miniature import REPOSITORY


@pytest.fixture(scope="module")
def asked():
    return inventory(REPOSITORY)


def right_of(question: dict) -> int:
    return [one["right"] for one in question["choices"]].index(True)


def test_do_letter_and_length_give_nothing_away(asked):
    assert len(asked) == 20 and all(len(one["choices"]) == 4 for one in asked)
    assert set(Counter(map(right_of, asked)).values()) == {5}
    longest = 0
    for one in asked:
        lengths = [len(choice["text"]) for choice in one["choices"]]
        longest += lengths[right_of(one)] == max(lengths)
    assert 2 <= longest <= 8  # five by chance


def test_has_every_question_a_cell_of_its_own():
    notebook = nbformat.read(REPOSITORY / "book" / "inventory.ipynb", as_version=4)
    counts = [cell.source.count("{inventory}") for cell in notebook.cells]
    assert counts[0] == 0 and set(counts[1:]) == {1}


@pytest.mark.parametrize("disk", [False, True], ids=["served", "from a disk"])
def test_are_reasons_given_after_the_second_time_alone(opened, asked, disk):
    seen = opened("inventory")
    page = seen.page
    if disk:
        page.goto((SITE / "inventory.html").as_uri())
    questions = page.locator(".inventory-question")
    reason = asked[0]["choices"][0]["why"]
    for number in range(12):  # the first two choices of some, the others stay open
        questions.nth(number).get_by_role("radio").nth(number % 2).check()
    page.get_by_role("button", name="Keep these answers (before the course)").click()
    assert page.get_by_text(reason).count() == 0
    page.reload()
    assert page.get_by_text("Come back after chapter 14").count() == 1
    page.get_by_role("button", name="Answer again").click()
    assert page.get_by_role("radio", checked=True).count() == 0
    keep = page.get_by_role("button", name="Keep these answers (after the course)")
    keep.click()
    assert "20 of 20 are open" in page.locator("main").inner_text()
    for number, one in enumerate(asked):
        questions.nth(number).get_by_role("radio").nth(right_of(one)).check()
    keep.click()
    before = sum(right_of(one) == number % 2 for number, one in enumerate(asked[:12]))
    text = page.locator(".review-due").inner_text()
    assert text.startswith(f"Right before: {before} of 20. Right after: 20. The gain is 100%")
    assert page.get_by_text(reason).count() == 1
    assert page.locator(".inventory-times", has_text="after, right").count() == 20
    assert page.locator(".inventory-times", has_text="before").count() == 12
    if not disk:
        assert seen.troubles == []


def test_does_the_page_without_scripts_ask_and_tell_no_reason(opened, asked):
    page = opened("inventory", scripts=False).page
    assert page.get_by_text(asked[0]["choices"][0]["text"]).is_visible()
    assert page.get_by_text(asked[0]["choices"][0]["why"]).count() == 0
