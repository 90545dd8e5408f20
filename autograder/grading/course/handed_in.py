"""Finds a student's notebooks, however they were named, nested or packed.

A chapter's own name in its own folder is what nbgrader asks for. Downloads and platforms rename:
`02-softmax (1).ipynb`, `lovelace_02_softmax.ipynb`, a folder `Chapter 2`, a zip. What a notebook is
shows in the ids of its cells, else in its name, else in its folder's. Links are never followed.
"""

import functools
import hashlib
import io
import os
import re
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from autograder.errors import Invalid
from autograder.grading.course.reading import (
    LARGEST_FILE,
    plain_content,
    read,
    without_outputs,
)
from autograder.grading.text import listed, one_line

NOTEBOOK = re.compile(r".+\.ipynb(\.(txt|json))?", re.IGNORECASE | re.DOTALL)
LEFT_ALONE = {"__MACOSX", "__pycache__"}
DEEPEST, MOST_FILES, MOST_IN_A_ZIP = 6, 1000, 50
NAMED_AT_MOST = 3
# Of what has not its chapter's own name, so that no folder takes minutes and gigabytes.
MOST_BYTES = LARGEST_FILE
_GRADE_ID = re.compile(rb'"grade_id"\s*:\s*"([\x20-\x7e]{1,100}?)"')
_COUNTED = {"", "chapter", "ch", "chap", "kapitel", "chapitre"}
_BROKEN_ZIP = (zipfile.BadZipFile, zlib.error, RuntimeError, NotImplementedError, EOFError)


@dataclass(frozen=True)
class Piece:
    """A file that may be a notebook of some chapter."""

    path: Path
    name: str  # relative to the student's folder; in a zip with the name there
    size: int  # in bytes, unpacked
    read: Callable[[], bytes]  # may raise Invalid or OSError

    @property
    def file_name(self) -> str:
        return self.name.rpartition("/")[2]

    @functools.cached_property
    def seen(self) -> "Seen":
        """What tells it from others. The content itself is not kept: there may be many of them."""
        try:
            content = self.read()
        except (Invalid, OSError):
            content = b""
        digest = hashlib.blake2b(content).digest() if content else b""
        return Seen(digest, frozenset(mark.decode() for mark in _GRADE_ID.findall(content)))


@dataclass(frozen=True)
class Seen:
    """A notebook as far as it must be known to choose between several."""

    digest: bytes  # empty where nothing can be read
    grade_ids: frozenset[str]


@dataclass
class Found:
    """What lies in a student's folder: by chapter what is graded, and what cannot be placed."""

    chosen: dict[str, Piece] = field(default_factory=dict)
    problems: dict[str, str] = field(default_factory=dict)  # by chapter
    notes: dict[str, str] = field(default_factory=dict)  # by chapter
    strays: list[str] = field(default_factory=list)  # sentences


def found_in(folder: Path, chapters: Mapping[str, frozenset[str]]) -> Found:
    """The notebooks in a student's folder; `chapters` have the ids of their cells.

    A notebook under the chapter's own name in the chapter's own folder is always the one.
    """
    found, left = Found(), MOST_BYTES
    meant: dict[str, list[Piece]] = {}
    own = {f"{chapter}/{chapter}.ipynb" for chapter in chapters}
    beyond: list[Piece] = []
    for piece in pieces(folder):
        if piece.file_name.lower().endswith(".zip"):
            found.strays.append(f"{piece.name} cannot be unpacked")
            continue
        if piece.name not in own:
            if piece.size > left:
                beyond.append(piece)
                continue
            left -= piece.size
        if chapter := _chapter_of(piece, chapters):
            meant.setdefault(chapter, []).append(piece)
        else:
            found.strays.append(f"{piece.name} does not show which chapter it is")
    if beyond:
        found.strays.append(
            f"{_listed(beyond)} not looked at: more than {MOST_BYTES // 2**20} MiB of notebooks "
            "under other names; hand each in as its chapter's folder and name, as "
            "02-softmax/02-softmax.ipynb"
        )
    for chapter, candidates in meant.items():
        _choose(found, chapter, candidates)
    return found


def _choose(found: Found, chapter: str, candidates: list[Piece]) -> None:
    candidates = _different(candidates)
    own = [one for one in candidates if one.name == f"{chapter}/{chapter}.ipynb"]
    named = [one for one in candidates if one.file_name == f"{chapter}.ipynb"]
    best = next((some for some in (own, named, candidates) if some), [])
    if len(best) > 1:
        found.problems[chapter] = (
            f"there are {len(best)} different notebooks of this chapter ({_listed(best)}); "
            f"leave the one that counts, as {chapter}/{chapter}.ipynb"
        )
        return
    (found.chosen[chapter],) = best
    if others := [one for one in candidates if one is not best[0]]:
        found.notes[chapter] = f"{best[0].name} is graded, and not {_listed(others)} beside it"


def _listed(some: list[Piece]) -> str:
    return listed((one_line(one.name, 80) for one in some), NAMED_AT_MOST)


def _different(candidates: list[Piece]) -> list[Piece]:
    """Without copies of one another; the plainest name of each comes first."""
    kept: dict[bytes | str, Piece] = {}
    for piece in sorted(candidates, key=lambda one: (len(one.name), one.name)):
        kept.setdefault(piece.seen.digest or piece.name, piece)
    return list(kept.values())


def _chapter_of(piece: Piece, chapters: Mapping[str, frozenset[str]]) -> str | None:
    for chapter in chapters:
        if piece.name == f"{chapter}/{chapter}.ipynb":
            return chapter
    grade_ids = piece.seen.grade_ids
    candidates = [chapter for chapter, ids in chapters.items() if ids & grade_ids]
    if len(candidates) == 1:
        return candidates[0]
    *folders, file = piece.name.split("/")
    for name in (file.lower().partition(".ipynb")[0], *reversed(folders)):
        if named := [chapter for chapter in chapters if means(name, chapter)]:
            return named[0] if len(named) == 1 else None
    return None


def means(name: str, chapter: str) -> bool:
    """Whether the name of a file or folder says this chapter and no other.

    `02-softmax` is meant by itself in any writing with anything around it, by its word alone, and
    by its number alone, as in `Chapter 2`. One without a number is meant by its words.
    """
    parts, words = _parts(name), _parts(chapter)
    number = words.pop(0) if words[0].isdecimal() else ""
    counted = "".join(parts[:-1]) in _COUNTED and bool(parts) and parts[-1].isdecimal()
    if number and counted and int(parts[-1]) == int(number):
        return True
    places = [at for at in range(len(parts)) if parts[at : at + len(words)] == words]
    if len(places) != 1:
        return False
    before = parts[places[0] - 1] if places[0] else ""
    return not (number and before.isdecimal()) or int(before) == int(number)


def _parts(name: str) -> list[str]:
    return re.findall(r"[^\W\d_]+|[0-9]+", name.lower())


def pieces(folder: Path) -> Iterator[Piece]:
    """Every notebook in a folder, those in zips too, and the zips that cannot be unpacked."""
    for count, path in enumerate(_files(folder, DEEPEST)):
        if count >= MOST_FILES:
            return
        name = path.relative_to(folder).as_posix()
        if NOTEBOOK.fullmatch(path.name):
            yield Piece(path, name, _size(path), functools.partial(read, path))
        elif path.name.lower().endswith(".zip"):
            try:
                yield from _packed(path, name)
            except (*_BROKEN_ZIP, Invalid, OSError, ValueError):
                yield Piece(path, name, _size(path), functools.partial(read, path))


def _size(path: Path) -> int:
    try:
        return path.lstat().st_size
    except OSError:
        return 0  # nothing can be read of it


def _files(folder: Path, depth: int) -> Iterator[Path]:
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError:
        return
    for entry in entries:
        if entry.name.startswith(".") or entry.name in LEFT_ALONE:
            continue
        if entry.is_dir(follow_symlinks=False):
            if depth:
                yield from _files(Path(entry.path), depth - 1)
        elif not entry.is_symlink():
            yield Path(entry.path)


def _packed(path: Path, name: str) -> Iterator[Piece]:
    content = plain_content(path, LARGEST_FILE + 1)
    if content is None or len(content) > LARGEST_FILE:
        raise Invalid("it is not a plain file of a size that is read")
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        inside = [info for info in archive.infolist() if NOTEBOOK.fullmatch(info.filename)]
    plain = {info: shown for info in inside if not _hidden(shown := _shown(info.filename))}
    if len(plain) > MOST_IN_A_ZIP:
        raise Invalid("it holds too many notebooks")
    for info, shown in plain.items():
        unpacked = functools.partial(_unpack, path, info.filename)
        yield Piece(path, f"{name}/{shown}", info.file_size, unpacked)


def _shown(member: str) -> str:
    """Its name without what leads out of the zip: it is read there, and written nowhere."""
    return "/".join(one for one in re.split(r"[/\\]", member) if one not in ("", ".", ".."))


def _hidden(member: str) -> bool:
    return any(part in LEFT_ALONE or part.startswith(".") for part in member.split("/"))


def _unpack(path: Path, member: str) -> bytes:
    """The bytes of a notebook in a zip; nothing is written anywhere."""
    content = plain_content(path, LARGEST_FILE + 1) or b""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive, archive.open(member) as file:
            return without_outputs(file.read(LARGEST_FILE + 1))
    except (*_BROKEN_ZIP, KeyError, ValueError) as error:
        raise Invalid(f"the zip file is broken ({one_line(str(error), 100)})") from None
