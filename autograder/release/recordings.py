"""The references' answers to their own checks, which stand in for them where they do not ship.

Their texts go with them, packed: what a student did is found by changing them.

Run as a program, in processes of their own: torch and the references stay out of the release.
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from typing import Any

from autograder.errors import ReleaseError
from autograder.files import JUDGING, files_in, sha256, sha256_of_files
from autograder.manifest import ListedChapter
from autograder.release.references import References, where_written
from autograder.source.content import ALTERNATIVES, CHECK, REFERENCE, content
from autograder.source.sources import ANSWERS, PATTERNS, SOURCE, packed, packed_name

STAMPS = "stamps.json"
PROCESSES = 2  # each has PyTorch in its memory


def update_recordings(chapters: Iterable[ListedChapter], folder: Path, root: Path) -> list[str]:
    """Record what is new or changed of the manifest's chapters; return the names recorded."""
    folder.mkdir(parents=True, exist_ok=True)
    stamps_file = folder / STAMPS
    stamps = json.loads(stamps_file.read_text()) if stamps_file.exists() else {}
    wanted = {
        exercise.name: asdict(exercise) | {"chapter": chapter.name}
        for chapter in chapters
        for exercise in chapter.exercises
    }
    keys = _keys(list(wanted.values()), root)
    stale = [
        exercise
        for name, exercise in wanted.items()
        if stamps.get(name) != keys[name]
        or not all((folder / f"{name}{suffix}").exists() for suffix in (ANSWERS, PATTERNS))
    ]
    for path in folder.iterdir():
        kept = path.stem in wanted and path.suffix in (ANSWERS, PATTERNS, SOURCE)
        if path.stem in stamps and not kept:
            path.unlink()
    _pack_sources(folder, root)
    parts = [part for part in (stale[i::PROCESSES] for i in range(PROCESSES)) if part]
    with ThreadPoolExecutor(PROCESSES) as pool:
        list(pool.map(lambda part: _record_in_a_process_of_its_own(part, folder, root), parts))
    stamps_file.write_text(json.dumps(keys, indent=1), encoding="utf-8")
    return [exercise["name"] for exercise in stale]


def _pack_sources(folder: Path, root: Path) -> None:
    """The texts of the references and alternatives, which misconceptions are changes of."""
    for path in files_in(root / content().folder):
        if path.name in (f"{REFERENCE}.py", f"{ALTERNATIVES}.py"):
            text = packed(path.read_text(encoding="utf-8"))
            (folder / packed_name(path.parent.name, path.stem)).write_bytes(text)


def _keys(exercises: list[dict[str, Any]], root: Path) -> dict[str, str]:
    """For each exercise, the hash of all that its recording depends on."""
    references = References(root / content().folder)
    package = root / "autograder"
    judging = [path for room in JUDGING for path in files_in(package / room)]
    checking = sha256_of_files(judging, package)
    keys = {}
    for exercise in exercises:
        name, module = exercise["name"], exercise["module"]
        check = root / content().file(module, CHECK)
        if not check.is_file():
            raise ReleaseError(f"{name} has no check: there is no {where_written(module, CHECK)}.")
        reference = references.find(module, exercise["reference"])
        used = {item.module for item in reference.with_all_it_uses()}
        sources = [references.path(item).read_bytes() for item in sorted(used)]
        checks = [root / content().file(item, CHECK) for item in sorted(used)]
        keys[name] = sha256(
            checking,
            check.read_bytes(),
            *(path.read_bytes() for path in checks if path.is_file()),  # their misconceptions
            *sources,
            Path(__file__).read_bytes(),
            version("torch"),
            repr((exercise["chapter"], exercise["points"])),
        )
    return keys


def _record_in_a_process_of_its_own(
    exercises: list[dict[str, Any]], folder: Path, root: Path
) -> None:
    paths = [str(root), os.environ.get("PYTHONPATH", "")]
    result = subprocess.run(
        [sys.executable, "-m", "autograder.release.recordings", str(folder)],
        input=json.dumps(exercises),
        env=os.environ
        | {"PYTHONPATH": os.pathsep.join(filter(None, paths)), "OMP_NUM_THREADS": "1"},
        cwd=root,
        text=True,
        capture_output=True,
    )
    if result.returncode:
        lines = result.stderr.strip().split("\n")
        raise ReleaseError(lines[-1].removeprefix("SystemExit: "))


def main(folder: Path, exercises: list[dict[str, Any]]) -> None:
    """Record the given exercises of the manifest into a folder."""
    from autograder.checking.registry import find
    from autograder.diagnosis.recording import save

    differences = []
    for entry in exercises:
        name = entry["name"]
        try:
            exercise = find(name)
        except KeyError as error:
            raise SystemExit(f"{name} has no check: {error.args[0]}") from None
        for what in ("points", "chapter"):
            registered, noted = getattr(exercise, what), entry[what]
            if registered != noted:
                differences.append(
                    f"{name} has {what} {noted} in its cell, {registered} in its check"
                )
    if differences:
        raise SystemExit(
            f"Cells and checks disagree: {'; '.join(differences)}. "
            "`python -m autograder.release.set_points` brings points to what the checks say."
        )
    for entry in exercises:
        save(entry["name"], folder)


if __name__ == "__main__":
    main(Path(sys.argv[1]), json.load(sys.stdin))
