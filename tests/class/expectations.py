"""Whether a class's records are what its submissions were built to get."""

from typing import Any

from tests.sample_class import Handed


def disagreements(handed: list[Handed], records: list[dict[str, Any]]) -> list[str]:
    """Every way in which a record differs from what its submission must get."""
    by_place = {(record["student"], record["chapter"]): record for record in records}
    wrong = []
    for one in handed:
        where = f"{one.student}, {one.chapter}"
        record = by_place.pop((one.student, one.chapter), None)
        if record is None:
            wrong.append(f"{where}: no record")
            continue
        wrong += [f"{where}: {text}" for text in _differences(one, record)]
    return wrong + [f"{student}, {chapter}: not handed in" for student, chapter in by_place]


def _differences(one: Handed, record: dict[str, Any]) -> list[str]:
    expected, wrong = one.expected, []
    if record["status"] != expected.status:
        wrong.append(f"status {record['status']}, not {expected.status}")
    if expected.note and not any(expected.note in note for note in record["notes"]):
        wrong.append(f"no note says {expected.note!r}: {record['notes']}")
    for exercise in record["exercises"]:
        name = exercise["name"]
        if exercise["passed"] != (name in expected.passed):
            wrong.append(f"{name} passed: {exercise['passed']} ({exercise['message']})")
        if exercise["points"] != (exercise["max_points"] if exercise["passed"] else 0):
            wrong.append(f"{name} has {exercise['points']} points")
        status = expected.statuses.get(name)
        if status and exercise["status"] != status:
            wrong.append(f"{name} is {exercise['status']}, not {status}: {exercise['message']}")
        sentence = expected.sentences.get(name)
        if sentence and exercise["misconception"] != sentence:
            wrong.append(f"{name} is told {exercise['misconception']!r}, not {sentence!r}")
    if record["score"] != sum(exercise["points"] for exercise in record["exercises"]):
        wrong.append(f"the score is {record['score']}")
    return wrong
