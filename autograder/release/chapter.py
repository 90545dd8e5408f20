"""A chapter on its way to the students: the notebook, and what its transformations ask for."""

import copy
from dataclasses import dataclass, field
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from autograder.cells import grade_id
from autograder.release.book import Book
from autograder.release.chapter_cells import (
    imports_from_solutions,
    kind,
    named,
    names_imported,
    parsed,
)
from autograder.release.references import Reference, References


@dataclass
class ChapterNotebook:
    """One chapter notebook, to be changed in place by the recipe."""

    name: str
    original: NotebookNode  # as committed, outputs included
    notebook: NotebookNode  # the copy under work
    references: References
    book: Book
    used: set[Reference] = field(default_factory=set)
    _defined: dict[str, set[str]] = field(default_factory=dict)

    @classmethod
    def read(cls, path: Path, references: References, book: Book) -> "ChapterNotebook":
        """The chapter of a file in `book/`."""
        original = nbformat.read(path, as_version=4)
        return cls(path.stem, original, copy.deepcopy(original), references, book)

    def note_use_of(self, reference: Reference) -> None:
        """Remember a reference that the released notebook is made from."""
        self.used.update(reference.with_all_it_uses())

    def defines(self, grade: str, names: set[str]) -> None:
        """Remember what a cell defines beyond its import."""
        self._defined[grade] = names

    def names_before(self, grade: str) -> set[str]:
        """The names that the cells before the one called `grade` import or define."""
        names: set[str] = set()
        for cell in self.original.cells:
            if grade_id(cell) == grade:
                break
            match kind(cell):
                case "exercise" | "provided":
                    names |= {item.bound for item in imports_from_solutions(cell, self.name)}
                    names |= self._defined.get(named(cell), set())
                case "demo":
                    names |= names_imported(parsed(cell, self.name))
        return names
