"""Provided cells: an earlier chapter's exercise in full, so that every chapter stands alone."""

from autograder.release.chapter import ChapterNotebook
from autograder.release.chapter_cells import imports_from_solutions, kind, named
from autograder.release.references import Reference


def inline_provided(chapter: ChapterNotebook) -> None:
    """Replace each provided cell's import by the source, with what the notebook lacks for it."""
    for cell in chapter.notebook.cells:
        if kind(cell) != "provided":
            continue
        defined = chapter.names_before(named(cell))
        sources: list[Reference] = []
        for wanted in imports_from_solutions(cell, chapter.name):
            reference = chapter.references.find(wanted.module, wanted.name)
            chapter.note_use_of(reference)
            for item in reference.with_all_it_uses():
                if item not in sources and (item == reference or item.name not in defined):
                    sources.append(item)
        imports = {
            statement
            for item in sources
            for name, statement in item.imports.items()
            if name not in defined
        }
        parts = ["\n".join(sorted(imports))] if imports else []
        cell.source = "\n\n\n".join([*parts, *(item.source for item in sources)])
        chapter.defines(named(cell), {item.name for item in sources} | _bound(sources))


def _bound(sources: list[Reference]) -> set[str]:
    return {name for item in sources for name in item.imports}
