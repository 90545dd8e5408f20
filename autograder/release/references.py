"""References as text: where each begins and ends, and what it uses.

They are read, never imported, so that a release needs no torch and a reference can run nothing.
"""

import ast
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from autograder.errors import ReleaseError

Definition = ast.FunctionDef | ast.ClassDef


def end_of(node: ast.stmt) -> int:
    """The last line of a statement that was read from a text."""
    assert node.end_lineno is not None
    return node.end_lineno


@dataclass(frozen=True)
class Reference:
    """One function or class of `solutions/`, as written there; its names tell it from others."""

    module: str
    name: str
    node: Definition = field(compare=False)
    lines: tuple[str, ...] = field(compare=False)  # the module's
    # By a name that the reference uses, the import statement that defines it.
    imports: dict[str, str] = field(compare=False)
    # Other references, in the order of their names.
    uses: tuple["Reference", ...] = field(compare=False)

    @property
    def first_line(self) -> int:
        """The line where it begins, decorators included, counted from 1."""
        return min([self.node.lineno, *(item.lineno for item in self.node.decorator_list)])

    @cached_property
    def source(self) -> str:
        """The text of the definition."""
        return "\n".join(self.lines[self.first_line - 1 : self.node.end_lineno])

    def with_all_it_uses(self) -> list["Reference"]:
        """This reference after everything it uses, each once."""
        ordered: list[Reference] = []
        for used in self.uses:
            ordered += [item for item in used.with_all_it_uses() if item not in ordered]
        return [*ordered, self]


class References:
    """The modules of a `solutions` folder."""

    def __init__(self, folder: Path):
        self.folder = folder
        self._trees: dict[str, tuple[ast.Module, tuple[str, ...]]] = {}

    def path(self, module: str) -> Path:
        """The file of a module."""
        return self.folder / f"{module.replace('.', '/')}.py"

    def find(self, module: str, name: str, via: tuple[tuple[str, str], ...] = ()) -> Reference:
        """The reference `name` of `solutions.<module>`."""
        where = f"solutions/{module}.py"
        tree, lines = self._read(module)
        defined = {item.name: item for item in tree.body if isinstance(item, Definition)}
        if name not in defined:
            raise ReleaseError(f"{where} defines no function or class {name!r}.")
        if (module, name) in via:
            raise ReleaseError(f"{where}: {name} uses itself through {via[-1][1]}.")
        node = defined[name]
        if not ast.get_docstring(node):
            raise ReleaseError(f"{where}: {name} has no docstring, which is a learner's contract.")

        used = {item.id for item in ast.walk(node) if isinstance(item, ast.Name)} - {name}
        imports, uses = {}, []
        chain = (*via, (module, name))
        for statement in tree.body:
            if isinstance(statement, ast.Import | ast.ImportFrom):
                for alias in statement.names:
                    bound = (alias.asname or alias.name).split(".")[0]
                    if bound not in used:
                        continue
                    origin = getattr(statement, "module", None) or ""
                    if origin.startswith("solutions."):
                        inner = origin.removeprefix("solutions.")
                        uses.append(self.find(inner, alias.name, chain))
                    else:
                        only = type(statement)(**{**vars(statement), "names": [alias]})
                        imports[bound] = ast.unparse(only)
            elif isinstance(statement, Definition):
                if statement.name in used:
                    uses.append(self.find(module, statement.name, chain))
            else:
                self._reject_module_level_names(statement, used, name, where)
        uses.sort(key=lambda item: item.name)
        return Reference(module, name, node, lines, imports, tuple(uses))

    def with_another(self, reference: Reference, source: str) -> Reference:
        """The reference, had it another text."""
        after = reference.lines[reference.node.end_lineno :]
        text = "\n".join([*reference.lines[: reference.first_line - 1], source, *after])
        other = References(self.folder)
        other._trees[reference.module] = ast.parse(text), tuple(text.split("\n"))
        return other.find(reference.module, reference.name)

    def _read(self, module: str) -> tuple[ast.Module, tuple[str, ...]]:
        if module not in self._trees:
            path = self.path(module)
            if not path.is_file():
                raise ReleaseError(f"There is no solutions/{module}.py to import from.")
            text = path.read_text(encoding="utf-8")
            self._trees[module] = ast.parse(text, str(path)), tuple(text.split("\n"))
        return self._trees[module]

    @staticmethod
    def _reject_module_level_names(
        statement: ast.stmt, used: set[str], name: str, where: str
    ) -> None:
        assigned = {
            item.id
            for item in ast.walk(statement)
            if isinstance(item, ast.Name) and isinstance(item.ctx, ast.Store)
        }
        for other in sorted(assigned & used):
            raise ReleaseError(
                f"{where}: {name} uses the module-level name {other!r}, which a notebook does not "
                f"have; define it inside {name}."
            )
