"""What is graded, and for how many points: `manifest.json` in the course folder.

The grader goes by this file and never by a submission's own metadata.
"""

import json
from pathlib import Path
from typing import Any

from nbformat import NotebookNode

from autograder.release.cells import grade_id, kind, tags
from autograder.release.hashing import sha256
from autograder.release.mends import PREFIX

VERSION = 1


def entry(notebook: NotebookNode, modules: dict[str, str]) -> dict[str, Any]:
    """One chapter: its cells in order, and its exercises. `modules`: reference -> module."""
    cells, exercises, stub = [], [], None
    for cell in notebook.cells:
        cells.append(
            {
                "id": cell.id,
                "kind": kind(cell),
                "grade_id": grade_id(cell),
                "tags": tags(cell),
                "source_sha256": sha256(cell.source),
            }
        )
        if kind(cell) == "exercise":
            stub = cell
        elif kind(cell) == "check":
            name = grade_id(stub)
            reference = name if name in modules else name.removeprefix(PREFIX)
            exercises.append(
                {
                    "name": name,
                    "module": modules[reference],
                    "reference": reference,
                    "points": float(cell.metadata.nbgrader.points),
                    "cell": stub.id,
                    "check_grade_id": grade_id(cell),
                    "check_cell": cell.id,
                    "stub_sha256": sha256(stub.source),
                }
            )
    points = sum(exercise["points"] for exercise in exercises)
    return {"max_points": points, "cells": cells, "exercises": exercises}


def with_former(made: dict[str, Any], before: dict[str, Any] | None) -> dict[str, Any]:
    """The entry of a chapter that is released again, with what its cells were before.

    By id the points and sources of earlier releases: who works on those has edited nothing.
    """
    former: dict[str, list] = {
        key: list(kept) for key, kept in (before or {}).get("former", {}).items()
    }
    found = [(cell["grade_id"], cell["source_sha256"]) for cell in (before or {}).get("cells", ())]
    found += [(one["check_grade_id"], one["points"]) for one in (before or {}).get("exercises", ())]
    for name, value in found:
        if name and value not in former.setdefault(name, []):
            former[name].append(value)
    return made | {"former": former}


def read(course: Path) -> dict[str, Any]:
    """The manifest of a course; an empty one where there is none yet."""
    path = course / "manifest.json"
    if path.exists():
        manifest = json.loads(path.read_text(encoding="utf-8"))
        if manifest.get("version") == VERSION:
            return manifest
    return {"version": VERSION, "chapters": {}}


def write(course: Path, manifest: dict[str, Any]) -> None:
    """Write the manifest, in one step."""
    path = course / "manifest.json"
    manifest["chapters"] = dict(sorted(manifest["chapters"].items()))
    part = path.with_suffix(".part")
    part.write_text(json.dumps(manifest, indent=1) + "\n", encoding="utf-8")
    part.replace(path)
