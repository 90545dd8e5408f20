"""The whole release: chapters to nbgrader's source and release folders, and the student bundle."""

import difflib
import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from importlib.metadata import version
from pathlib import Path

import nbformat

from autograder import manifest
from autograder.files import REPOSITORY, files_in, sha256, sha256_of_files
from autograder.manifest import ListedChapter
from autograder.nbgrader_course import write_settings
from autograder.release.assignment import SETTINGS, generate_assignment
from autograder.release.book import Book
from autograder.release.bundle import BUNDLE, make_bundle
from autograder.release.chapter import ChapterNotebook
from autograder.release.errors import ReleaseError
from autograder.release.latest import Latest, chapters_entered
from autograder.release.listing import listed
from autograder.release.own_files import OwnFiles
from autograder.release.recipe import make_source
from autograder.release.recordings import update_recordings
from autograder.release.references import References

CHAPTERS = "[0-9][0-9]-*.ipynb"
STATE = ".release"  # in the course's folder: what releasing remembers between runs


@dataclass
class Released:
    """What a release made, and where it is."""

    course: Path
    bundle: Path
    built: list[str] = field(default_factory=list)
    unchanged: list[str] = field(default_factory=list)
    recorded: list[str] = field(default_factory=list)  # exercises
    bundle_made: bool = False
    notes: list[str] = field(default_factory=list)  # what was found changed, and where it is


def release(
    chapters: Sequence[str] = (), course: Path | None = None, root: Path = REPOSITORY
) -> Released:
    """Release the named chapters, or all; what did not change since the last time is left alone.

    Everything is written into the course's folder; what others changed or put there is kept.
    Raises ReleaseError with one sentence that says where to look.
    """
    course = (course or root / "build" / "course").resolve()
    state = course / STATE
    state.mkdir(parents=True, exist_ok=True)
    write_settings(course)

    paths = {path.stem: path for path in sorted((root / "book").glob(CHAPTERS))}
    chosen, latest = _chosen(chapters, paths), Latest(course, state, root)
    if latest.stands():
        return Released(course, course / BUNDLE, unchanged=chosen)
    latest.forget()

    book, references = Book.of(root), References(root / "solutions")
    known = {name: one for name, one in (manifest.read(course) or {}).items() if name in paths}
    files = OwnFiles(course, state / "files.json")

    released = Released(course, course / BUNDLE, notes=files.notes)
    for name in chosen:
        chapter = ChapterNotebook.read(paths[name], references, book)
        new = _release_chapter(chapter, known.get(name), root, course, files)
        if new is None:
            released.unchanged.append(name)
            continue
        known[name] = new
        manifest.write(course, known.values())
        released.built.append(name)
    manifest.write(course, known.values())

    recordings = state / "recordings"
    released.recorded = update_recordings(known.values(), recordings, root)
    notebooks = [course / "release" / name / f"{name}.ipynb" for name in sorted(known)]
    released.bundle_made = make_bundle(notebooks, recordings, root, state, files, book)
    if set(known) == set(paths) == set(chosen):
        latest.note()
    return released


def _release_chapter(
    chapter: ChapterNotebook,
    before: ListedChapter | None,
    root: Path,
    course: Path,
    files: OwnFiles,
) -> ListedChapter | None:
    """Make a chapter's source and release; None if those that are there are as they should be."""
    name, source = chapter.name, make_source(chapter)
    inputs = _inputs(source, root)
    notebook = course / "release" / name / f"{name}.ipynb"
    if _is_current(before, inputs, notebook, course):
        return None
    if before is not None:
        files.claim(f"release/{name}/{name}.ipynb", before.sha256)
    with tempfile.TemporaryDirectory(dir=course / STATE) as staged:
        _generate(name, source, Path(staged), root, course)
        files.instead(f"source/{name}", _one(Path(staged) / "source" / name, notebook.name))
        files.instead(f"release/{name}", _all(Path(staged) / "release" / name))
    modules = {item.name: item.module for item in chapter.used}
    return replace(
        listed(name, nbformat.read(notebook, as_version=4), modules).after(before),
        inputs=inputs,
        notebook=notebook.name,
        sha256=sha256(notebook.read_bytes()),
    )


def _generate(name: str, source: str, staged: Path, root: Path, course: Path) -> None:
    """Let nbgrader make the release from a new source, in a folder of its own.

    It clears the folder it writes to. What else lies beside the source, as data, goes along.
    """
    place, beside = staged / "source" / name, course / "source" / name
    if beside.is_dir():
        shutil.copytree(beside, place)
    place.mkdir(parents=True, exist_ok=True)
    (place / f"{name}.ipynb").write_text(source, encoding="utf-8")
    generate_assignment(name, root, course, staged)


def _one(folder: Path, name: str) -> dict[str, Path]:
    return {name: folder / name}


def _all(folder: Path) -> dict[str, Path]:
    return {path.relative_to(folder).as_posix(): path for path in files_in(folder)}


def _chosen(chapters: Sequence[str], paths: dict[str, Path]) -> list[str]:
    if not paths:
        raise ReleaseError("There is no chapter in book/: their names begin with two digits.")
    for name in chapters:
        if name not in paths:
            near = difflib.get_close_matches(name, paths, n=1, cutoff=0.3)
            hint = f"; did you mean {near[0]}?" if near else "."
            raise ReleaseError(f"There is no chapter {name!r} in book/{hint}")
    return sorted(set(chapters)) or list(paths)


def _inputs(source: str, root: Path) -> str:
    """The hash of all that nbgrader's release of a chapter depends on.

    The source holds the chapter and its references.
    """
    here = Path(__file__).parent
    code = sha256_of_files(files_in(here), here)
    for_nbgrader = [path.read_bytes() for path in sorted(here.parent.glob("nbgrader_*.py"))]
    settings = (root / SETTINGS).read_bytes()
    return sha256(source, settings, version("nbgrader"), code, *for_nbgrader)


def _is_current(entry: ListedChapter | None, inputs: str, notebook: Path, course: Path) -> bool:
    return (
        entry is not None
        and entry.inputs == inputs
        and notebook.exists()
        and entry.sha256 == sha256(notebook.read_bytes())
        and notebook.stem in chapters_entered(course)
    )
