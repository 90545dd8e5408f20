"""Writes into a folder where people work: knows its own files again, and touches no others.

A file is the release's own as long as it is byte for byte what the release put there. What
somebody has changed, or put there, stays or is moved aside, and is named.
"""

import json
from collections.abc import Iterator, Mapping
from itertools import count
from pathlib import Path

from autograder.files import sha256, write_whole

KEPT = "kept"


class OwnFiles:
    """The files in a folder that are the release's own, by path and hash."""

    def __init__(self, folder: Path, record: Path) -> None:
        self._folder, self._record = folder, record
        self._digests: dict[str, str] = {}
        if record.exists():
            self._digests = json.loads(record.read_text(encoding="utf-8"))
        self.notes: list[str] = []  # what was left or moved, in sentences

    def claim(self, name: str, digest: str) -> None:
        """Take a file that nothing is known of for the release's own if it has this hash."""
        self._digests.setdefault(name, digest)

    def beside(self, place: str, files: Mapping[str, Path]) -> None:
        """Put files into a folder; where one has been changed, the new one goes beside it."""
        now = {}
        for name, source in _within(place, files):
            digest = sha256(source.read_bytes())
            if self._is_own(name, digest):
                self._write(name, source)
            elif self._digests.get(name) != digest:  # else it was made from this very version
                now[name] = self._digests.get(name, "")
                mine, name = name, self._free_name(name, digest)
                self._write(name, source)
                self.notes.append(
                    f"{self._folder / mine} was changed and stays as it is; "
                    f"the new version is beside it: {Path(name).name}"
                )
            now[name] = digest
        self._settle(place, now)

    def instead(self, place: str, files: Mapping[str, Path]) -> None:
        """Put files into a folder; what was changed there is moved to `kept/` first."""
        now = {}
        for name, source in _within(place, files):
            digest = sha256(source.read_bytes())
            if not self._is_own(name, digest):
                aside = self._move_aside(name)
                self.notes.append(f"{self._folder / name} was changed; it is kept in {aside}")
            self._write(name, source)
            now[name] = digest
        self._settle(place, now)

    def has_all(self, place: str) -> bool:
        """Whether there is something under every name that was put into a folder."""
        return all((self._folder / name).exists() for name in self._digests if _in(place, name))

    def _is_own(self, name: str, digest: str) -> bool:
        """Whether nothing is lost if the file with this hash is written under the name."""
        path = self._folder / name
        if not path.is_symlink() and not path.exists():
            return True
        if path.is_symlink() or not path.is_file():
            return False
        return sha256(path.read_bytes()) in (digest, self._digests.get(name))

    def _write(self, name: str, source: Path) -> None:
        path = self._folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, source.read_bytes())

    def _free_name(self, name: str, digest: str) -> str:
        path = Path(name)
        names = (path.with_name(f"{path.stem}.new{end}{path.suffix}").as_posix() for end in _ends())
        return next(one for one in names if self._is_own(one, digest))

    def _move_aside(self, name: str) -> Path:
        path = self._folder / KEPT / name
        places = (path.with_name(f"{path.stem}{end}{path.suffix}") for end in _ends())
        aside = next(one for one in places if not one.is_symlink() and not one.exists())
        aside.parent.mkdir(parents=True, exist_ok=True)
        (self._folder / name).rename(aside)
        return aside

    def _settle(self, place: str, now: dict[str, str]) -> None:
        """Remove the own files of a folder that are not wanted any more; note what there is."""
        before = {name: digest for name, digest in self._digests.items() if _in(place, name)}
        for name in before.keys() - now.keys():
            path = self._folder / name
            plain = path.is_file() and not path.is_symlink()
            if plain and sha256(path.read_bytes()) == before[name]:
                path.unlink()
            del self._digests[name]
        self._digests |= now
        self._record.parent.mkdir(parents=True, exist_ok=True)
        write_whole(self._record, json.dumps(self._digests, indent=1).encode())


def _ends() -> Iterator[str]:
    yield ""
    yield from (f"-{number}" for number in count(2))


def _in(place: str, name: str) -> bool:
    return name == place or name.startswith(f"{place}/")


def _within(place: str, files: Mapping[str, Path]) -> Iterator[tuple[str, Path]]:
    for name, source in sorted(files.items()):
        yield f"{place}/{name}" if name else place, source
