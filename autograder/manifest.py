"""What is graded, and for how many points: `manifest.json` in the course folder.

A release writes it; the grader goes by it, and never by a submission's own metadata.
"""

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from autograder.files import write_whole

NAME = "manifest.json"
STATE = ".release"  # in the course's folder: what releasing remembers between runs
RECORDINGS = f"{STATE}/recordings"  # what was found out about the references and misconceptions
VERSION = 1


@dataclass(frozen=True)
class ListedCell:
    """A cell of the released notebook, as the manifest has it."""

    grade_id: str | None
    source_sha256: str
    id: str = ""
    kind: str = ""
    tags: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class ListedExercise:
    """An exercise, as the manifest has it: its name, its points, the id of its check cell."""

    check_grade_id: str
    name: str = ""
    points: float = 0.0
    module: str = ""
    reference: str = ""
    cell: str = ""


@dataclass(frozen=True)
class ListedChapter:
    """A released chapter, as the manifest has it: all that a report needs, read at once."""

    name: str
    exercises: tuple[ListedExercise, ...] = ()
    cells: tuple[ListedCell, ...] = ()
    former: dict[str, list[Any]] = field(default_factory=dict)
    # Of what is asked before and after the course and counts nothing: text, choices, `right`.
    inventory: tuple[dict[str, Any], ...] = ()
    inputs: str = ""  # a hash of all that it was made from
    notebook: str = ""
    sha256: str = ""  # of the released notebook

    @property
    def max_points(self) -> float:
        return sum(exercise.points for exercise in self.exercises)

    def after(self, before: "ListedChapter | None") -> "ListedChapter":
        """The chapter, released again, with what its cells were before.

        By id the points and sources of earlier releases: who works on those has edited nothing.
        """
        if before is None:
            return self
        former = {name: list(kept) for name, kept in before.former.items()}
        values: list[tuple[str | None, Any]] = [
            *((cell.grade_id, cell.source_sha256) for cell in before.cells),
            *((exercise.check_grade_id, exercise.points) for exercise in before.exercises),
        ]
        for name, value in values:
            if name and value not in former.setdefault(name, []):
                former[name].append(value)
        return replace(self, former=former)


def read(course: Path) -> dict[str, ListedChapter] | None:
    """The released chapters by name; None where nothing was released."""
    path = course / NAME
    if not path.exists():
        return None
    manifest = json.loads(path.read_text(encoding="utf-8"))
    if manifest.get("version", VERSION) != VERSION:
        return None
    return {name: _chapter(name, entry) for name, entry in manifest["chapters"].items()}


def write(course: Path, chapters: Iterable[ListedChapter]) -> None:
    """Write the manifest, whole or not at all."""
    entries = {}
    for chapter in sorted(chapters, key=lambda chapter: chapter.name):
        entry = asdict(chapter) | {"max_points": chapter.max_points}
        entries[entry.pop("name")] = entry
    manifest = {"version": VERSION, "chapters": entries}
    write_whole(course / NAME, (json.dumps(manifest, indent=1) + "\n").encode())


def _chapter(name: str, entry: dict[str, Any]) -> ListedChapter:
    exercises = tuple(
        ListedExercise(**one) for one in _known_fields(ListedExercise, entry["exercises"])
    )
    cells = tuple(ListedCell(**one) for one in _known_fields(ListedCell, entry.get("cells", ())))
    (rest,) = _known_fields(ListedChapter, [entry])
    return ListedChapter(**rest | {"name": name, "exercises": exercises, "cells": cells})


def _known_fields(kind: type, entries: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Of each entry the fields that this version knows."""
    names = {one.name for one in fields(kind)}
    return [{name: entry[name] for name in entry.keys() & names} for entry in entries]
