"""What a class has understood: counted from the journal's records and the gradebook's scores."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import mean, median
from typing import Any

from autograder.checking.verdict import UNTOUCHED
from autograder.errors import CourseError
from autograder.grading.course.folder import Course
from autograder.grading.course.journal import Journal
from autograder.grading.course.scores import read_scores, reading
from autograder.grading.report.for_a_teacher import sentences
from autograder.grading.report.inventory import InventorySurvey, survey_inventory

UNTRIED = {*UNTOUCHED, "missing"}
RETAUGHT_AT_MOST = 5


@dataclass
class CameBack:
    """A misconception of an earlier chapter's exercise, which a later exercise uses."""

    exercise: str  # the later one
    chapter: str  # the earlier one
    sentence: str
    students: int = 0
    before: int = 0  # how many of them had it in that chapter, too, as it was handed in last


@dataclass
class ExerciseSurvey:
    """How a class did in one exercise."""

    name: str
    max_points: float
    statuses: Counter[str] = field(default_factory=Counter)
    misconceptions: Counter[str] = field(default_factory=Counter)
    earlier: dict[str, CameBack] = field(default_factory=dict)  # by the misconception's key

    @property
    def handed_in(self) -> int:
        return self.statuses.total()

    @property
    def passed(self) -> int:
        return self.statuses["passed"]

    @property
    def untried(self) -> int:
        return sum(self.statuses[status] for status in UNTRIED)

    @property
    def stuck(self) -> int:
        """How many tried and did not pass."""
        return self.handed_in - self.passed - self.untried

    @property
    def pass_rate(self) -> float:
        """The share that passed of all who handed the chapter in; 0 where nobody did."""
        return self.passed / self.handed_in if self.handed_in else 0.0


@dataclass
class ChapterSurvey:
    """How a class did in one chapter."""

    name: str
    max_score: float
    exercises: list[ExerciseSurvey]
    scores: list[float] = field(default_factory=list)  # late penalties and manual scores included
    absent: list[str] = field(default_factory=list)  # who handed nothing in
    ungraded: list[str] = field(default_factory=list)
    troubles: list[tuple[str, str, str]] = field(default_factory=list)  # student, status, note
    late: int = 0
    for_a_teacher: list[str] = field(default_factory=list)  # what waits for a hand, in sentences

    @property
    def mean(self) -> float:
        return mean(self.scores) if self.scores else 0.0

    @property
    def median(self) -> float:
        return median(self.scores) if self.scores else 0.0

    @property
    def full(self) -> int:
        """How many have all points."""
        return sum(score >= self.max_score for score in self.scores)

    @property
    def misconceptions(self) -> list[tuple[str, str, int]]:
        """Exercise, sentence and how many have it, the commonest first."""
        rows = [
            (one.name, sentence, count)
            for one in self.exercises
            for sentence, count in one.misconceptions.items()
        ]
        return sorted(rows, key=lambda row: (-row[2], row[0], row[1]))

    @property
    def came_back(self) -> list[CameBack]:
        """Misconceptions of earlier chapters, in the order of the exercises, commonest first."""
        return [
            one
            for exercise in self.exercises
            for one in sorted(exercise.earlier.values(), key=lambda one: -one.students)
        ]

    @property
    def reteach(self) -> list[ExerciseSurvey]:
        """What most people tried in vain, a tenth of them at least; the worst first."""
        hard = [one for one in self.exercises if one.stuck and one.stuck * 10 >= one.handed_in]
        return sorted(hard, key=lambda one: (-one.stuck, one.name))[:RETAUGHT_AT_MOST]


@dataclass
class Survey:
    """The class at a glance."""

    chapters: list[ChapterSurvey]
    students: int
    records: list[dict[str, Any]]
    inventory: InventorySurvey | None = None  # where the course asks it and it was handed in


def survey(course: Course, chapters: Sequence[str] = ()) -> Survey:
    """Count what is graded. Raises CourseError where nothing is."""
    released, journal = course.listed(chapters), Journal(course.state)
    with reading(course.settings.gradebook) as query:
        scores = read_scores(query)
    handed_in = {(one.student, one.chapter): one for one in course.submissions(list(released))}
    class_list = sorted({person.id for person in scores.people} | {who for who, _ in handed_in})
    places = {
        one.name: chapter for chapter, has in course.listed().items() for one in has.exercises
    }
    found, records, inventory = [], [], None
    for chapter in released.values():
        if chapter.inventory:
            own = [one for one in handed_in.values() if one.chapter == chapter.name]
            inventory = survey_inventory(chapter.inventory, own) if own else None
            continue
        exercises = [
            ExerciseSurvey(exercise.name, exercise.points) for exercise in chapter.exercises
        ]
        result = ChapterSurvey(chapter.name, chapter.max_points, exercises)
        by_hand = scores.only([chapter.name], []).for_a_teacher
        result.for_a_teacher = list(sentences(by_hand, released))
        for student in class_list:
            if (student, chapter.name) not in handed_in:
                result.absent.append(student)
                continue
            key = journal.shown(student, chapter.name)
            record = journal.record(key) if key else None
            if record is None:
                result.ungraded.append(student)
                continue
            records.append(record)
            _count(result, record)
            _count_earlier(result, record, places, journal)
            if problem := handed_in[student, chapter.name].came.problem:
                result.troubles.append((student, record["status"], problem))
            if record["status"] != "missing":
                score = scores.found.get((student, chapter.name))
                result.scores.append(score.final if score else record["score"])
                result.late += bool(score and score.late_seconds)
        found.append(result)
    if not records and inventory is None:
        raise CourseError(f"Nothing in {course.root} is graded yet: run autograder grade first.")
    return Survey(found, len(class_list), records, inventory)


def _count(result: ChapterSurvey, record: dict[str, Any]) -> None:
    if record["status"] == "missing":
        result.absent.append(record["student"])
        return
    if record["status"] != "graded" or record["notes"]:
        note = "; ".join(record["notes"]) or _first_message(record)
        result.troubles.append((record["student"], record["status"], note))
    by_name = {one.name: one for one in result.exercises}
    for one in record["exercises"]:
        if counted := by_name.get(one["name"]):
            counted.statuses[one["status"]] += 1
            if one["misconception"] and one["status"] not in UNTRIED:
                counted.misconceptions[one["misconception"]] += 1


def _count_earlier(
    result: ChapterSurvey, record: dict[str, Any], places: dict[str, str], journal: Journal
) -> None:
    """A misconception of another exercise has the key NAME.KEY; `places` has everyone's chapter."""
    by_name = {one.name: one for one in result.exercises}
    for one in record["exercises"]:
        for whole in (one.get("key") or "").split(" + "):
            name, _, key = whole.partition(".")
            chapter = places.get(name, result.name)
            if chapter == result.name or one["status"] in UNTRIED or one["name"] not in by_name:
                continue
            earlier = by_name[one["name"]].earlier
            told = CameBack(one["name"], chapter, one["misconception"])
            came_back = earlier.setdefault(whole, told)
            came_back.students += 1
            shown = journal.shown(record["student"], chapter)
            former = (journal.record(shown) if shown else None) or {"exercises": []}
            same = ((it["name"], it.get("key")) == (name, key) for it in former["exercises"])
            came_back.before += any(same)


def _first_message(record: dict[str, Any]) -> str:
    messages = [one["message"] for one in record["exercises"] if one["status"] == record["status"]]
    return messages[0] if messages else "in a cell that belongs to no exercise"
