"""Questions that come back when they are due: on the page, as FSRS has it."""

import json
import random
import re
from datetime import UTC, date, datetime, time, timedelta

import pytest
from fsrs import Card, Rating, Scheduler

from tests.book.conftest import Opened, watch
from tests.book.parsed import SITE
from tests.chromium import PATIENCE

KEY = "attention-course-progress"
START = date(2026, 3, 2)
A_DAY = timedelta(days=1)
ANSWER = "question => courseSchedule.dueOn(courseProgress.load().log[question])"


def noon(day: date) -> datetime:
    return datetime.combine(day, time(12), UTC)


def independent(answers: dict[date, bool]) -> tuple[Scheduler, Card]:
    """FSRS by its other implementation, in Python."""
    scheduler = Scheduler(learning_steps=(), relearning_steps=(), enable_fuzzing=False)
    card = Card()
    for day, right in answers.items():
        card, _ = scheduler.review_card(card, Rating.Good if right else Rating.Again, noon(day))
    return scheduler, card


class Reader:
    """Somebody who comes to pages on days."""

    def __init__(self, seen: Opened, root: str) -> None:
        self.seen, self.page, self.root = seen, seen.page, root

    def go(self, page: str = "review", day: date = START) -> None:
        self.page.clock.set_fixed_time(noon(day))
        self.page.goto(f"{self.root}/{page}.html", wait_until="load")

    def has_read(self, *chapters: str) -> None:
        self.go()
        kept = json.dumps({"read": dict.fromkeys(chapters, True)})
        self.page.evaluate("([key, kept]) => localStorage.setItem(key, kept)", [KEY, kept])
        self.go()

    @property
    def quiz(self):
        return self.page.locator(".review .quiz")

    @property
    def question(self) -> str | None:
        """The id of the question that is asked."""
        return self.quiz.get_attribute("data-question") if self.quiz.count() else None

    def answer(self, right: bool = True) -> None:
        is_right = """question => [...document.querySelector('.review template').content
            .querySelector(`[data-question="${question}"]`).querySelectorAll('details')]
            .map(one => 'right' in one.dataset)"""
        choices = self.page.evaluate(is_right, self.question)
        self.quiz.get_by_role("radio").nth(choices.index(right)).check()
        self.quiz.get_by_role("button", name="Check").click()

    def answer_all(self) -> list[str]:
        """Answer whatever is asked today."""
        found = []
        while self.question:
            found.append(self.question)
            self.answer()
            self.page.get_by_role("button", name="Next question").click()
        return found


@pytest.fixture
def reader(browser, address):
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    seen = Opened(context.new_page())
    seen.page.set_default_timeout(PATIENCE)
    watch(seen, address)
    yield Reader(seen, address)
    context.close()


@pytest.mark.parametrize("disk", [False, True], ids=["served", "from a disk"])
def test_who_comes_back_after_a_day_a_week_and_a_month_meets_what_is_due(reader, disk):
    """What is right comes back later each time; what was missed, within two days."""
    if disk:
        reader.root = SITE.as_uri()
    reader.has_read("03-bahdanau")
    question, day, answers = reader.question, START, {}
    for right in (True, True, False, True):
        reader.answer(right)
        answers[day] = right
        due = date.fromisoformat(reader.page.evaluate(ANSWER, question))
        assert abs(due - independent(answers)[1].due.date()) <= A_DAY
        reader.go(day=due - A_DAY)
        assert question not in reader.answer_all()
        day = due
        reader.go(day=day)
        assert reader.question == question
    days = [*answers, day]
    gaps = [(later - earlier).days for earlier, later in zip(days, days[1:], strict=False)]
    assert gaps[1] >= 7 > gaps[0] >= 2 >= gaps[2]
    reader.answer()
    reader.go(day=day + timedelta(days=30))
    assert question in reader.answer_all()
    if not disk:
        assert reader.seen.troubles == []


def test_are_ten_a_day_asked_of_what_was_read_and_no_more(reader):
    reader.has_read("02-softmax", "05-self-attention")
    first = reader.answer_all()
    assert len(first) == 10
    assert "Ten questions a day are enough" in reader.page.locator(".review-due").inner_text()
    reader.go(day=START + A_DAY)
    second = reader.answer_all()
    assert second and not set(first) & set(second)  # right ones are not due on the next day
    chapters = reader.page.evaluate(
        """questions => [...document.querySelector('.review template').content
            .querySelectorAll('.quiz')].filter(one => questions.includes(one.dataset.question))
            .map(one => one.dataset.chapter)""",
        first + second,
    )
    assert set(chapters) == {"02-softmax", "05-self-attention"}


def test_does_a_chapter_feed_the_review_with_what_is_answered_there(reader):
    """The three questions that open it, too: what was answered rightly is not asked that day."""
    reader.go("02-softmax")
    opening = reader.page.locator("details:has-text('Three questions')").first
    opening.locator("summary").first.click()
    quiz = opening.locator(".quiz").first
    question = quiz.get_attribute("data-question")
    quiz.get_by_role("radio").first.check()  # a wrong one
    quiz.get_by_role("button", name="Check").click()
    quiz.get_by_role("radio").nth(1).check()  # the day's second answer does not count
    quiz.get_by_role("button", name="Check").click()
    reader.go()
    assert reader.question is None
    reader.go(day=START + 2 * A_DAY)
    assert reader.answer_all() == [question]


def test_are_the_numbers_of_a_guess_others_each_time(reader):
    reader.has_read("02-softmax")
    forms = reader.page.evaluate(
        """() => [...document.querySelector('.review template').content.querySelectorAll('.quiz')]
            .filter(one => one.dataset.form === '1').map(one => one.dataset.question)"""
    )
    texts = []
    for days in (0, 5, 40):
        reader.go(day=START + days * A_DAY)
        while reader.question not in forms:
            reader.answer()
            reader.page.get_by_role("button", name="Next question").click()
        texts.append(reader.quiz.locator(".quiz-question p").inner_text())
        reader.answer()
        assert reader.quiz.locator(".quiz-verdict").first.inner_text() == "Right."
    assert len(set(texts)) == 3


def test_do_two_implementations_remember_alike(reader):
    """ts-fsrs on the page and py-fsrs; ts-fsrs may keep a day between what ratings would give."""
    chance, logs = random.Random(1), []
    for _ in range(100):
        day, answers = START, {}
        for _ in range(chance.randint(1, 8)):
            answers[day] = chance.random() < 0.7
            day += chance.choice((1, 2, 3, 7, 30, 90)) * A_DAY
        logs.append(answers)
    reader.go()
    later = date(2029, 1, 1)
    said = reader.page.evaluate(
        """([logs, later]) => logs.map((log) => [
            courseSchedule.dueOn(log), courseSchedule.remembered(log, later)])""",
        [[{day.isoformat(): right for day, right in one.items()} for one in logs], str(later)],
    )
    for answers, (due, remembered) in zip(logs, said, strict=True):
        scheduler, card = independent(answers)
        assert abs(date.fromisoformat(due) - card.due.date()) <= A_DAY
        wanted = scheduler.get_card_retrievability(card, noon(later))
        last_right = answers[max(answers)]
        assert remembered == pytest.approx(wanted if last_right else 0.0, abs=1e-6)


def test_does_the_figure_count_what_is_known(reader):
    reader.has_read("03-bahdanau")
    answered = reader.answer_all()  # all that the chapter has
    assert reader.page.locator(".review-known tbody tr").count() == 1
    bar = reader.page.locator(".review-bar").bounding_box()
    assert bar["height"] > 10 and bar["width"] > 100
    later = START + timedelta(days=60)
    reader.go(day=later)
    scheduler, card = independent({START: True})
    total = len(answered) * scheduler.get_card_retrievability(card, noon(later))
    words = reader.page.locator(".review-known td").last.inner_text()
    assert words == f"{round(total)} of {len(answered)}"


def test_goes_what_was_answered_to_another_browser_as_a_file(reader, browser, tmp_path):
    reader.has_read("03-bahdanau")
    answered = reader.answer_all()
    with reader.page.expect_download() as download:
        reader.page.get_by_role("button", name="Save as a file").click()
    download.value.save_as(tmp_path / "review.json")
    (tmp_path / "other.json").write_text('{"log": 5}')
    other = Reader(Opened(browser.new_page()), reader.root)
    other.go(day=START + timedelta(days=90))
    assert other.question is None
    choose = other.page.get_by_label("Add a file")
    choose.set_input_files(tmp_path / "other.json")
    other.page.get_by_text("other.json is no file that this page").wait_for()
    choose.set_input_files(tmp_path / "review.json")
    other.page.get_by_text(f"Added: {len(answered)} questions.").wait_for()
    assert set(other.answer_all()) <= set(answered)
    other.page.context.close()


@pytest.mark.parametrize("disk", [False, True], ids=["served", "from a disk"])
def test_does_the_map_show_what_the_review_asks_today(reader, disk):
    if disk:
        reader.root = SITE.as_uri()
    reader.go("map")
    line, due = reader.page.locator(".map-due"), reader.page.locator("svg.boxes .box-due")
    assert (line.inner_text(), due.count()) == ("", 0)
    reader.has_read("02-softmax", "05-self-attention")
    reader.go("map")
    line.filter(has_text="10 questions for today in the review.").wait_for()
    numbers = [int(words.split()[0]) for words in due.all_text_contents()]
    assert len(numbers) == 2 and sum(numbers) == 10
    marked = reader.page.locator("svg.boxes a:has(.box-due)")
    for link, number in zip(marked.all(), numbers, strict=True):
        assert link.get_attribute("aria-label").endswith(f"(read) ({number} questions due)")
    line.get_by_role("link").click()
    assert reader.page.locator(".review-due").inner_text() == "10 questions for today."
    first = reader.answer_all()
    reader.go("map")
    assert due.count() == 0
    assert re.fullmatch(r"\d+ more questions can wait until tomorrow\.", line.inner_text())
    reader.go(day=START + A_DAY)
    second = reader.answer_all()
    assert len(first) == len(second) == 10  # all that the two chapters have
    reader.go("map", day=START + A_DAY)
    _, card = independent({START: True})
    assert card.due.date() > START + A_DAY
    assert line.inner_text() == f"The next questions are due on {card.due:%B} {card.due.day}."
    reader.go("map", day=card.due.date())
    line.filter(has_text="10 questions for today").wait_for()
    assert sum(int(words.split()[0]) for words in due.all_text_contents()) == 10
