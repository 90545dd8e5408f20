"""References as text: where each begins and ends, and what it uses.

They are read, never imported, so that a release needs no torch and a reference can run nothing.
"""

import ast
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from autograder.errors import ReleaseError
from autograder.source.content import REFERENCE, content
from autograder.source.sources import Module, taken_apart
from autograder.source.syntax import FunctionOrClass, first_line, used


def end_of(node: ast.stmt) -> int:
    """The last line of a statement that was read from a text."""
    assert node.end_lineno is not None
    return node.end_lineno


def where_written(module: str, part: str = REFERENCE) -> str:
    """A file of a chapter, as messages name it."""
    return content().file(module, part).as_posix()


@dataclass(frozen=True)
class Reference:
    """One function or class of a chapter, as written there; its names tell it from others."""

    module: str
    name: str
    node: FunctionOrClass = field(compare=False)
    lines: tuple[str, ...] = field(compare=False)  # the module's
    # By a name that the reference uses, the import statement that defines it.
    imports: dict[str, str] = field(compare=False)
    # Other references, in the order of their names.
    uses: tuple["Reference", ...] = field(compare=False)

    @cached_property
    def source(self) -> str:
        """The text of the definition."""
        return "\n".join(self.lines[first_line(self.node) - 1 : self.node.end_lineno])

    def with_all_it_uses(self) -> list["Reference"]:
        """This reference after everything it uses, each once."""
        ordered: list[Reference] = []
        for other in self.uses:
            ordered += [item for item in other.with_all_it_uses() if item not in ordered]
        return [*ordered, self]


class References:
    """The references of all chapters in a folder."""

    def __init__(self, folder: Path):
        self.folder = folder
        self._modules: dict[str, Module] = {}

    def path(self, module: str) -> Path:
        """The file of a chapter's references."""
        return self.folder / module / f"{REFERENCE}.py"

    def find(self, module: str, name: str, via: tuple[tuple[str, str], ...] = ()) -> Reference:
        """The reference `name` of a chapter."""
        where, written = where_written(module), self._read(module)
        if name not in written.nodes:
            raise ReleaseError(f"{where} defines no function or class {name!r}.")
        if (module, name) in via:
            raise ReleaseError(f"{where}: {name} uses itself through {via[-1][1]}.")
        node = written.nodes[name]
        if not ast.get_docstring(node):
            raise ReleaseError(f"{where}: {name} has no docstring, which is a learner's contract.")
        names = used(node) - {name}
        for other in sorted(names & written.assigned):
            raise ReleaseError(
                f"{where}: {name} uses the module-level name {other!r}, which a notebook does not "
                f"have; define it inside {name}."
            )
        imports = {bound: statement for bound, statement in written.imports if bound in names}
        homes = filter(None, map(written.home_of, sorted(names)))
        uses = tuple(self.find(*home, (*via, (module, name))) for home in homes)
        return Reference(module, name, node, written.lines, imports, uses)

    def with_another(self, reference: Reference, source: str) -> Reference:
        """The reference, had it another text."""
        after = reference.lines[reference.node.end_lineno :]
        text = "\n".join([*reference.lines[: first_line(reference.node) - 1], source, *after])
        other = References(self.folder)
        other._modules[reference.module] = taken_apart(reference.module, text)
        return other.find(reference.module, reference.name)

    def _read(self, module: str) -> Module:
        if module not in self._modules:
            path = self.path(module)
            if not path.is_file():
                raise ReleaseError(f"There is no {where_written(module)} to import from.")
            self._modules[module] = taken_apart(module, path.read_text(encoding="utf-8"))
        return self._modules[module]
