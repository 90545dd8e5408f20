"""What has changed since the last release is made anew, chapter by chapter, and then the bundle."""

import shutil
import tempfile
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path

import nbformat

from autograder import manifest, nbgrader_course
from autograder.files import files_in, paths_within, sha256, sha256_of_files
from autograder.manifest import ListedChapter
from autograder.release.assignment import generate_assignment
from autograder.release.book import Book
from autograder.release.bundle import make_bundle
from autograder.release.chapter import ChapterNotebook
from autograder.release.latest import chapters_entered
from autograder.release.listing import listed
from autograder.release.own_files import OwnFiles
from autograder.release.questions import inventory, write_questions
from autograder.release.recipe import make_source
from autograder.release.recordings import update_recordings
from autograder.release.references import References
from autograder.release.released import BUNDLE, INVENTORY, Released
from autograder.source.content import content


def make_anew(chosen: list[str], paths: dict[str, Path], course: Path, root: Path) -> Released:
    """Bring the chosen chapters, of all that there are, and the bundle to what the book says."""
    state = course / manifest.STATE
    book, references = Book.of(root), References(root / content().folder)
    chapters = {name: one for name, one in (manifest.read(course) or {}).items() if name in paths}
    files = OwnFiles(course, state / "files.json")
    released = Released(course, course / BUNDLE, notes=files.notes)
    for name in chosen:
        chapter = ChapterNotebook.read(paths[name], references, book)
        new = _release_chapter(chapter, chapters.get(name), course, files)
        if new is None:
            released.unchanged.append(name)
            continue
        chapters[name] = new
        manifest.write(course, chapters.values())
        released.built.append(name)
    manifest.write(course, chapters.values())

    recordings = course / manifest.RECORDINGS
    released.recorded = update_recordings(chapters.values(), recordings, root)
    write_questions(recordings, root)
    notebooks = [course / "release" / name / f"{name}.ipynb" for name in sorted(chapters)]
    released.bundle_made = make_bundle(notebooks, recordings, root, state, files, book)
    return released


def _release_chapter(
    chapter: ChapterNotebook,
    before: ListedChapter | None,
    course: Path,
    files: OwnFiles,
) -> ListedChapter | None:
    """Make a chapter's source and release; None if those that are there are as they should be."""
    name, source = chapter.name, make_source(chapter)
    inputs = _inputs(source)
    notebook = course / "release" / name / f"{name}.ipynb"
    if _is_current(before, inputs, notebook, course):
        return None
    if before is not None:
        files.claim(f"release/{name}/{name}.ipynb", before.sha256)
    with tempfile.TemporaryDirectory(dir=course / manifest.STATE) as staged:
        _generate(name, source, Path(staged), course)
        notebooks = {notebook.name: Path(staged) / "source" / name / notebook.name}
        files.instead(f"source/{name}", notebooks)
        files.instead(f"release/{name}", paths_within(Path(staged) / "release" / name))
    modules = {item.name: item.module for item in chapter.used}
    return replace(
        listed(name, nbformat.read(notebook, as_version=4), modules).after(before),
        inventory=tuple(inventory(chapter.book.folder.parent))
        if f"{name}.ipynb" == INVENTORY
        else (),
        inputs=inputs,
        notebook=notebook.name,
        sha256=sha256(notebook.read_bytes()),
    )


def _generate(name: str, source: str, staged: Path, course: Path) -> None:
    """Let nbgrader make the release from a new source, in a folder of its own.

    It clears the folder it writes to. What else lies beside the source, as data, goes along.
    """
    place, beside = staged / "source" / name, course / "source" / name
    if beside.is_dir():
        shutil.copytree(beside, place)
    place.mkdir(parents=True, exist_ok=True)
    (place / f"{name}.ipynb").write_text(source, encoding="utf-8")
    generate_assignment(name, course, staged)


def _inputs(source: str) -> str:
    """The hash of all that nbgrader's release of a chapter depends on.

    The source holds the chapter and its references.
    """
    here = Path(__file__).parent
    code = sha256_of_files(files_in(here), here)
    settings = Path(nbgrader_course.__file__).read_bytes()
    return sha256(source, settings, version("nbgrader"), code)


def _is_current(entry: ListedChapter | None, inputs: str, notebook: Path, course: Path) -> bool:
    return (
        entry is not None
        and entry.inputs == inputs
        and notebook.exists()
        and entry.sha256 == sha256(notebook.read_bytes())
        and notebook.stem in chapters_entered(course)
    )
