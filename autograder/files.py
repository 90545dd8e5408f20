"""Files and contents: hashes, writing whole or not at all, zips of the same bytes every time."""

import ast
import functools
import hashlib
import os
import zipfile
from collections.abc import Iterable
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
LEFT_ALONE = {"__pycache__", ".ipynb_checkpoints", ".DS_Store"}
# The rooms of the engine that a verdict on a recorded answer comes from.
JUDGING = ("source", "remote", "checking", "diagnosis")
LONG_AGO = (1980, 1, 1, 0, 0, 0)  # the date of every file in a zip


def sha256(*parts: str | bytes) -> str:
    """One hash of several texts; where one ends and the next begins counts."""
    digest = hashlib.sha256()
    for part in parts:
        # The name of a folder need not be text.
        content = part.encode(errors="surrogatepass") if isinstance(part, str) else part
        digest.update(len(content).to_bytes(8, "big") + content)
    return digest.hexdigest()


def sha256_of_content(content: bytes) -> str:
    """The hash of one file's bytes, as other tools give it."""
    return hashlib.sha256(content).hexdigest()


def files_in(folder: Path) -> list[Path]:
    """Every file under a folder but caches, in a fixed order."""
    return sorted(
        path
        for path in folder.rglob("*")
        if path.is_file() and not LEFT_ALONE & set(path.relative_to(folder).parts)
    )


def paths_within(folder: Path, inside: str = "") -> dict[str, Path]:
    """The files under a folder by their paths in it, or in another folder that they go into."""
    return {inside + path.relative_to(folder).as_posix(): path for path in files_in(folder)}


def sha256_of_files(paths: Iterable[Path], folder: Path) -> str:
    """One hash of files, by content and by name within a folder."""
    parts: list[str | bytes] = []
    for path in paths:
        parts += [path.relative_to(folder).as_posix(), path.read_bytes()]
    return sha256(*parts)


def parsed(path: Path) -> ast.Module:
    """The syntax tree of a file of Python, read once as long as it stays the same."""
    return _parsed(path, path.stat().st_mtime_ns)


@functools.lru_cache(maxsize=256)
def _parsed(path: Path, changed: int) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def write_whole(path: Path, content: bytes) -> None:
    """Write a file so that it is there whole or not at all."""
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        part.write_bytes(content)
        part.replace(path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


def write_zip(path: Path, folder: Path, inside: str = "", programs: Iterable[str] = ()) -> None:
    """Pack all files of a folder, under the folder `inside`; the same bytes every time.

    `programs` are the names of those that can be run.
    """
    part = path.with_name(f".{path.name}.part")
    with zipfile.ZipFile(part, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in files_in(folder):
            name = file.relative_to(folder).as_posix()
            info = zipfile.ZipInfo(f"{inside}/{name}" if inside else name, LONG_AGO)
            info.external_attr = (0o100755 if name in programs else 0o100644) << 16
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, file.read_bytes())
    part.replace(path)
