"""What a course is about, handed to the engine: it looks here, and names no content itself.

`autograder/__init__.py` hands it in, which every process imports first.
"""

import importlib
import importlib.util
import pkgutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

# The files of a chapter's folder.
REFERENCE, ALTERNATIVES, CHECK, WRONG = "reference", "alternatives", "check", "wrong"


@dataclass(frozen=True)
class Content:
    """Two packages by their names."""

    solutions: str  # a package a chapter, of the files above
    shared: str  # what chapters share, which goes along wherever a notebook runs

    @property
    def folder(self) -> Path:
        """Where the chapters' folders lie in a repository."""
        return Path(*self.solutions.split("."))

    def file(self, chapter: str, part: str) -> Path:
        """One file of a chapter's folder in a repository."""
        return self.folder / chapter / f"{part}.py"

    def module(self, chapter: str, part: str) -> str:
        """The full name of one module of a chapter."""
        return f"{self.solutions}.{chapter}.{part}"

    def place(self, module: str) -> tuple[str, str] | None:
        """The chapter and the part that a module's full name means; None for what is no chapter's.

        >>> Content("solutions", "lab").place("solutions.softmax")
        ('softmax', 'reference')
        >>> Content("solutions", "lab").place("solutions.softmax.check")
        ('softmax', 'check')
        """
        if not module.startswith(f"{self.solutions}."):
            return None
        chapter, _, part = module.removeprefix(f"{self.solutions}.").partition(".")
        return chapter, part or REFERENCE


_handed_in: list[Content] = []


def use(content: Content) -> None:
    """Hand in what the course is about; the last one counts."""
    _handed_in[:] = [content]


def content() -> Content:
    """What the course is about."""
    return _handed_in[0]


def chapter_of(module: str) -> str:
    """The chapter whose check stands in a module of that full name."""
    return module.removesuffix(f".{CHECK}").rsplit(".", 1)[-1]


def references(chapter: str) -> ModuleType:
    """A chapter's references, imported."""
    return importlib.import_module(content().module(chapter, REFERENCE))


def modules(part: str) -> Iterator[ModuleType]:
    """The modules of that name in all chapters' folders, imported."""
    package = importlib.import_module(content().solutions)
    for chapter in pkgutil.iter_modules(package.__path__):
        name = content().module(chapter.name, part)
        if chapter.ispkg and importlib.util.find_spec(name):
            yield importlib.import_module(name)
