"""Questions that answer in the page, and what the browser remembers of them."""

import subprocess
import sys
from pathlib import Path

import pytest

EXTENSIONS = Path(__file__).parents[2] / "book" / "_ext"
WRONG = {
    "A question.": "below it the list of its choices",
    "Q?\n- [x] Yes\n\n  So.": "two or more choices",
    "Q?\n- [ ] Yes\n\n  So.\n- [ ] No\n\n  So.": "one of them right",
    "Q?\n- [x] Yes\n\n  So.\n- [x] No\n\n  So.": "one of them right",
    "Q?\n- [x] Yes\n- [ ] No\n\n  So.": "the choice 'Yes' is not explained",
    "Q?\n- Yes\n\n  So.\n- [ ] No\n\n  So.": "begins with [x] or [ ]",
}


def unfolded(page):
    """A page's first question, which is a line in the layer to read."""
    page.locator("details.layer-quiz").evaluate_all("folds => folds.map((one) => one.open = true)")
    return page.locator(".quiz").first


def answer(quiz, choice: int) -> None:
    quiz.get_by_role("radio").nth(choice).check()
    quiz.get_by_role("button", name="Check").click()


def test_is_a_malformed_question_told_in_one_sentence(tmp_path):
    (tmp_path / "conf.py").write_text(
        "extensions = ['myst_parser', 'quiz']\nmyst_enable_extensions = ['colon_fence']\n"
    )
    questions = "\n\n".join(f":::{{quiz}}\n{text}\n:::" for text in WRONG)
    (tmp_path / "index.md").write_text(f"# Title\n\n{questions}\n")
    built = subprocess.run(
        [sys.executable, "-m", "sphinx", "-q", tmp_path, tmp_path / "out"],
        env={"PYTHONPATH": str(EXTENSIONS)},
        text=True,
        capture_output=True,
    )
    said = [line for line in built.stderr.splitlines() if "quiz:" in line]
    for line, sentence in zip(said, WRONG.values(), strict=True):
        assert sentence in line


def test_does_a_question_answer_by_keyboard_and_remember_it(opened):
    seen = opened("00-start-here")
    page, quiz = seen.page, unfolded(seen.page)
    choices, said = quiz.get_by_role("radio"), quiz.locator(".quiz-said")
    check = quiz.get_by_role("button", name="Check")
    assert said.all_inner_texts() == ["", "", ""]
    assert {item.get_attribute("aria-live") for item in said.all()} == {"polite"}
    check.click()
    assert "Choose an answer first." in quiz.inner_text()

    choices.first.focus()
    page.keyboard.press("Space")
    page.keyboard.press("Enter")
    assert said.first.inner_text().startswith("Not this one.")
    page.keyboard.press("ArrowDown")
    assert choices.nth(1).is_checked() and said.nth(1).inner_text() == ""  # chosen is not answered
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    assert said.nth(1).inner_text().startswith("Right.")
    assert said.nth(2).inner_text() == ""
    assert "1 of 4 questions answered" in page.locator(".quiz-count").inner_text()
    quiz.get_by_role("button", name="Explain every choice").click()
    assert said.nth(2).inner_text().startswith("Not this one.")

    page.reload()
    unfolded(page)
    assert [text.split(".")[0] for text in said.all_inner_texts()] == ["Not this one", "Right", ""]
    assert choices.nth(1).is_checked()
    assert "1 of 4 questions answered" in page.locator(".quiz-count").inner_text()
    assert seen.troubles == []


@pytest.fixture
def with_clock(opened):
    """Chapter 0 with a clock that the test moves on."""
    seen = opened("00-start-here")
    seen.page.clock.install()
    seen.page.reload()
    return seen


def read_through(page, seconds: int, since: float = 0, until: float = 1) -> None:
    """Have each screen, from one share of the page to another, on show for so many seconds."""
    height = page.evaluate("document.documentElement.scrollHeight")
    for top in range(int(since * height), int(until * height), 800):
        page.evaluate(f"scrollTo({{ top: {top}, behavior: 'instant' }})")
        page.clock.run_for(1000 * seconds)


def is_read(page) -> bool:
    return page.locator(".bd-sidebar-primary .progress-mark").count() == 1


def test_is_a_chapter_not_read_by_going_to_its_end_or_rushing_through(with_clock):
    page = with_clock.page
    page.keyboard.press("End")
    page.clock.run_for(600_000)
    assert not is_read(page)
    read_through(page, 1)
    assert not is_read(page)


def test_is_a_chapter_read_that_is_read_in_two_parts(with_clock, address):
    page = with_clock.page
    read_through(page, 60, until=0.3)
    assert not is_read(page)
    page.goto(f"{address}/map.html")
    page.goto(f"{address}/00-start-here.html")
    read_through(page, 60, since=0.25)
    assert is_read(page)
    assert with_clock.troubles == []


def test_is_a_chapter_marked_that_was_read_and_is_all_cleared_on_one_page(with_clock, address):
    page = with_clock.page
    answer(unfolded(page), 0)
    assert page.locator(".progress-mark").count() == 0
    read_through(page, 60)
    assert is_read(page)

    page.goto(f"{address}/progress.html")
    row = page.locator("tr[data-chapter='00-start-here']")
    assert row.inner_text().split("\t")[1:] == ["✓ read", "1 of 4"]
    page.get_by_role("button", name="Clear my progress").click()
    assert row.inner_text().split("\t")[1:] == ["–", "0 of 4"]
    assert page.evaluate("localStorage.getItem('attention-course-progress')") is None
    assert with_clock.troubles == []


def test_leads_the_front_page_on_after_the_last_chapter_that_was_read(opened, address):
    page = opened("index").page
    start = page.locator(".course-facts a")
    assert start.inner_text() == "Start"
    assert start.get_attribute("href") == "00-start-here.html"
    kept = '{"read": {"00-start-here": true, "02-softmax": true}, "answers": {}}'
    page.evaluate(f"localStorage.setItem('attention-course-progress', '{kept}')")
    page.reload()
    assert start.inner_text() == "Continue"
    assert start.get_attribute("aria-label") == "Continue with chapter 3 · Align and translate"
    start.click()
    page.wait_for_url(f"{address}/03-bahdanau.html")


def test_leads_a_reader_back_to_where_reading_ended(opened, address):
    seen = opened("05-self-attention")
    page = seen.page
    heading = page.locator("main h2").nth(2)
    heading.evaluate("heading => heading.scrollIntoView()")
    words = heading.evaluate("heading => heading.firstChild.textContent")
    section = heading.evaluate("heading => heading.parentElement.id")
    page.goto(f"{address}/map.html")
    start = page.locator(".course-facts a")
    assert start.get_attribute("href").endswith(f"/05-self-attention.html#{section}")
    assert f"“{words.strip()}”" in page.locator(".course-facts").inner_text()
    start.click()
    page.wait_for_url(f"{address}/05-self-attention.html#{section}")
    assert seen.troubles == []


def test_marks_the_map_what_was_read(opened):
    page = opened("map").page
    kept = '{"read": {"02-softmax": true}, "answers": {}}'
    page.evaluate(f"localStorage.setItem('attention-course-progress', '{kept}')")
    page.reload()
    marked = page.locator("svg.boxes a[data-read]")
    assert marked.count() == 1
    assert marked.get_attribute("aria-label").startswith("2 · From scores to weights")
    assert "(read)" in marked.get_attribute("aria-label")


def test_are_all_explanations_there_folded_without_scripts(opened):
    page = opened("00-start-here", scripts=False).page
    choices = page.locator(".quiz").first.locator("details")
    explanation = choices.nth(1).locator(".quiz-why")
    assert choices.count() == 3 and not explanation.is_visible()
    choices.nth(1).locator("summary").click()
    assert explanation.inner_text().startswith("Right.")


@pytest.mark.parametrize("broken", ["not JSON", "[]", '{"read": null}', "null"])
def test_does_a_page_work_with_what_another_program_left_in_the_browser(opened, broken):
    seen = opened("00-start-here")
    seen.page.evaluate(f"localStorage.setItem('attention-course-progress', {broken!r})")
    seen.page.reload()
    quiz = unfolded(seen.page)
    answer(quiz, 1)
    assert quiz.locator(".quiz-said").nth(1).inner_text().startswith("Right.")
    assert seen.troubles == []
