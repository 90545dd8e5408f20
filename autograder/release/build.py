"""The whole release: chapters to nbgrader's source and release folders, and the student bundle.

Whether there is anything to do is asked first; what does it is imported only then.
"""

import difflib
from collections.abc import Sequence
from pathlib import Path

from autograder import manifest
from autograder.errors import ReleaseError
from autograder.files import REPOSITORY
from autograder.nbgrader_course import write_settings
from autograder.release.latest import Latest
from autograder.release.released import BUNDLE, CHAPTERS, INVENTORY, PROJECT, Released


def release(
    chapters: Sequence[str] = (), course: Path | None = None, root: Path = REPOSITORY
) -> Released:
    """Release the named chapters, or all; what did not change since the last time is left alone.

    Everything is written into the course's folder; what others changed or put there is kept.
    Raises ReleaseError with one sentence that says where to look.
    """
    course = (course or root / "build" / "course").resolve()
    state = course / manifest.STATE
    state.mkdir(parents=True, exist_ok=True)
    write_settings(course)

    book = root / "book"
    patterns = (CHAPTERS, INVENTORY, PROJECT)
    paths = {path.stem: path for one in patterns for path in sorted(book.glob(one))}
    chosen, latest = _chosen(chapters, paths), Latest(course, state, root)
    if latest.stands():
        return Released(course, course / BUNDLE, unchanged=chosen)
    from autograder.release.anew import make_anew

    latest.forget()
    released = make_anew(chosen, paths, course, root)
    if chosen == list(paths):
        latest.note()
    return released


def _chosen(chapters: Sequence[str], paths: dict[str, Path]) -> list[str]:
    if not paths:
        raise ReleaseError("There is no chapter in book/: their names begin with two digits.")
    for name in chapters:
        if name not in paths:
            near = difflib.get_close_matches(name, paths, n=1, cutoff=0.3)
            hint = f"; did you mean {near[0]}?" if near else "."
            raise ReleaseError(f"There is no chapter {name!r} in book/{hint}")
    return sorted(set(chapters)) or list(paths)
