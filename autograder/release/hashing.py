"""Content hashes: what did not change is not built again."""

import hashlib
from collections.abc import Iterable
from pathlib import Path

LEFT_ALONE = {"__pycache__", ".ipynb_checkpoints", ".DS_Store"}


def sha256(*parts: str | bytes) -> str:
    """One hash of several texts; where one ends and the next begins counts."""
    digest = hashlib.sha256()
    for part in parts:
        content = part.encode() if isinstance(part, str) else part
        digest.update(len(content).to_bytes(8, "big") + content)
    return digest.hexdigest()


def files_in(folder: Path) -> list[Path]:
    """Every file under a folder but caches, in a fixed order."""
    return sorted(
        path
        for path in folder.rglob("*")
        if path.is_file() and not LEFT_ALONE & set(path.relative_to(folder).parts)
    )


def sha256_of_files(paths: Iterable[Path], folder: Path) -> str:
    """One hash of files, by content and by name within a folder."""
    parts: list[str | bytes] = []
    for path in paths:
        parts += [path.relative_to(folder).as_posix(), path.read_bytes()]
    return sha256(*parts)
