"""`review()` in a notebook: the questions that are due, asked one by one, as the book's page does.

Which there are was read from the book when the notebooks were released (`release/questions.py`).
What is answered stands in a file beside the notebooks, in the form of the page's own file.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time
from functools import cache
from pathlib import Path
from typing import Any

from autograder.files import write_whole
from autograder.source.sources import RECORDINGS

QUESTIONS = RECORDINGS / "questions.json"
FILE = Path("review.json")
FORMAT = "attention-course-review"
A_DAY = 10
NO_QUESTIONS = "The questions come with the students' notebooks, and are not installed here."
NO_SCHEDULER = (
    "The days on which questions come back are reckoned by the package fsrs, which is not here. "
    "Run `%pip install fsrs`, then `review()` again."
)
NOT_OURS = "{} is no file that review(), or the book's page, has written. It stays as it is."

Question = dict[str, Any]
Answers = dict[str, bool]  # by day, as 2026-11-26, whether the first answer was right


class Unreadable(ValueError):
    """A file that holds something else than answers."""


@dataclass(frozen=True)
class Said:
    """What is shown, in Markdown."""

    parts: list[str]

    def text(self) -> str:
        """The same for a terminal."""
        return "\n\n".join(self.parts)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        return {"text/plain": self.text(), "text/markdown": self.text()}


@dataclass
class Memory:
    """What was answered, kept in a file."""

    log: dict[str, Answers] = field(default_factory=dict)
    reviewed: dict[str, int] = field(default_factory=dict)  # by day, how many were asked by us

    @classmethod
    def read(cls, path: Path) -> "Memory":
        """What a file keeps. Raises Unreadable, and OSError where there is none."""
        try:
            kept = json.loads(path.read_text(encoding="utf-8"))
            log = {question: _answers(one) for question, one in kept["log"].items()}
            reviewed = {day: int(number) for day, number in kept.get("reviewed", {}).items()}
        except (ValueError, KeyError, TypeError, AttributeError):
            raise Unreadable(NOT_OURS.format(path)) from None
        if kept.get("format") != FORMAT:
            raise Unreadable(NOT_OURS.format(path))
        return cls(log, reviewed)

    @classmethod
    def here(cls) -> "Memory":
        """What the file beside the notebooks keeps."""
        return cls.read(FILE) if FILE.exists() else cls()

    def note(self, question: str, right: bool, day: str) -> None:
        """Remember an answer, if it is the day's first to this question."""
        self.log.setdefault(question, {}).setdefault(day, right)

    def keep(self) -> None:
        """Write the file."""
        kept = {"format": FORMAT, "reviewed": self.reviewed, "log": self.log}
        write_whole(FILE, (json.dumps(kept, indent=1) + "\n").encode())


def _answers(kept: dict[str, Any]) -> Answers:
    return {date.fromisoformat(day).isoformat(): right is True for day, right in kept.items()}


def review(
    question: str | None = None,
    answer: str | None = None,
    *,
    begin: str | None = None,
    add: str | None = None,
) -> None:
    """Ask a question that is due; with its sign and a letter, judge the answer and ask the next.

    `begin="02-softmax"` asks the questions with which that chapter opens, and `add="file.json"`
    adds what the book's page has saved.
    """
    from autograder.notebook.check import display  # which imports the whole of checking

    parts = []
    try:
        for part in _said(question, answer, begin, add):
            parts.append(part)
    except (Unreadable, OSError) as error:
        parts.append(str(error))
    except ModuleNotFoundError:
        parts.append(NO_SCHEDULER)
    display(Said(parts))


_open: list[Question] = []  # what is to be asked; the first of them was


def _said(
    sign: str | None, answer: str | None, begin: str | None, add: str | None
) -> Iterator[str]:
    memory = Memory.here()
    if not bank():
        yield NO_QUESTIONS
        return
    if add is not None:
        added = Memory.read(Path(add)).log
        for question, answers in added.items():
            for day, right in answers.items():
                memory.note(question, right, day)
        memory.keep()
        yield f"Added: {_count(len(added))}."
    if sign is not None and _open:
        yield from _judged(str(sign), str(answer), memory)
    elif begin is not None:
        opening = (one for one in bank() if one["chapter"] == begin and one["kind"] == "opening")
        _open[:] = [one for one in opening if today() not in memory.log.get(one["id"], {})]
    else:
        _open[:] = due(memory)
    if _open:
        yield _asked(_open[0], memory)
    elif begin is None:
        yield _nothing(memory)
    else:
        yield "These questions were answered today. They come back when they are due: `review()`."


def _judged(sign: str, answer: str, memory: Memory) -> Iterator[str]:
    if sign != _sign(_open[0]):  # a cell that was run again answers nothing else
        yield f"The question {sign!r} is not the one that is asked now."
        return
    choices = _form(_open[0], memory)["choices"]
    letter = answer.strip().strip(")").casefold()
    if letter not in _letters(choices):
        yield f"{answer!r} is none of the letters."
        return
    chosen = _letters(choices)[letter]
    right = next(one for one in choices if one["right"])
    yield f"**{'Right' if chosen['right'] else 'Not this one'}.** {chosen['why']}"
    if not chosen["right"]:
        yield f"**Right is:** {right['text']}\n\n{right['why']}"
    memory.note(_open.pop(0)["id"], chosen["right"], today())
    memory.reviewed = {today(): memory.reviewed.get(today(), 0) + 1}
    memory.keep()


def _asked(question: Question, memory: Memory) -> str:
    form = _form(question, memory)
    offered = [f"{letter}) {one['text']}" for letter, one in _letters(form["choices"]).items()]
    where = f"*{titles()[question['chapter']]}; {_count(len(_open))} for now*"
    how = f'Answer with a letter: `review("{_sign(question)}", "a")`'
    return "\n\n".join([where, form["text"], *offered, how])


def _sign(question: Question) -> str:
    """What an answer names its question by."""
    return question["id"][:3]


def _form(question: Question, memory: Memory) -> Question:
    """The question as it is asked this time: with other numbers than the last."""
    forms = [question, *question.get("variants", ())]
    days = memory.log.get(question["id"], {}).keys() - {today()}
    return forms[len(days) % len(forms)]


def _letters(choices: list[Question]) -> dict[str, Question]:
    return {chr(ord("a") + index): one for index, one in enumerate(choices)}


def _nothing(memory: Memory) -> str:
    if memory.reviewed.get(today(), 0) >= A_DAY:
        return "Ten questions a day are enough. There may be more tomorrow."
    coming = sorted(due_on(answers) for answers in memory.log.values())
    if not coming:
        return "Nothing is due yet: run the cells of a chapter and save it, or answer its guesses."
    return f"Nothing is due today. The next question will be on {coming[0]}."


def _count(number: int) -> str:
    return f"{number} question{'' if number == 1 else 's'}"


def due(memory: Memory) -> list[Question]:
    """Today's questions: those whose day has come, the longest due first, then new ones in turn."""
    asked = {one["id"]: due_on(memory.log[one["id"]]) for one in bank() if one["id"] in memory.log}
    again = [one for one in bank() if asked.get(one["id"], "9") <= today()]
    again.sort(key=lambda one: asked[one["id"]])
    turns: dict[str, list[Question]] = {}
    for one in bank():
        turns.setdefault(one["chapter"], []).append(one)
    new = [
        (turn, chapter, one)
        for chapter, own in turns.items()
        if was_run(Path(f"{chapter}.ipynb"))
        for turn, one in enumerate(own)
        if one["id"] not in memory.log
    ]
    in_turn = [one for _, _, one in sorted(new, key=lambda entry: entry[:2])]
    return [*again, *in_turn][: max(0, A_DAY - memory.reviewed.get(today(), 0))]


def was_run(notebook: Path) -> bool:
    """Whether somebody has worked in a notebook, and saved it."""
    try:
        cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
        return any(cell.get("execution_count") for cell in cells)
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return False


def due_on(answers: Answers) -> str:
    """The day on which a question is due again, by FSRS; in days, never in minutes."""
    from fsrs import Card, Rating, Scheduler

    scheduler = Scheduler(learning_steps=(), relearning_steps=(), enable_fuzzing=False)
    card = Card()
    for day in sorted(answers):
        rating = Rating.Good if answers[day] else Rating.Again
        noon = datetime.combine(date.fromisoformat(day), time(12), UTC)
        card, _ = scheduler.review_card(card, rating, noon)
    return card.due.date().isoformat()


def today() -> str:
    """The learner's day, as 2026-11-26."""
    return date.today().isoformat()


def note_prediction(name: str, right: bool) -> None:
    """Remember a guess before a demo, which is asked again when it is due."""
    for question in bank():
        if question.get("name") == name:
            memory = Memory.here()
            memory.note(question["id"], right, today())
            memory.keep()


@cache
def read_questions() -> dict[str, Any]:
    """The book's questions, as the release has put them beside the recordings."""
    if not QUESTIONS.exists():
        return {"chapters": {}, "questions": []}
    return json.loads(QUESTIONS.read_text(encoding="utf-8"))


def bank() -> list[Question]:
    """All questions, in the order of the chapters."""
    return read_questions()["questions"]


def titles() -> dict[str, str]:
    """The chapters' titles by their names."""
    return read_questions()["chapters"]
