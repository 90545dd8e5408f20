"""What a verdict depends on besides the submission, as hashes: what stayed is not graded again.

There are two kinds: one hash for all that every verdict of a chapter depends on (the release, the
grader), and one for each exercise (its check, its misconceptions, its reference). When a check is
mended, only its own exercise is judged again.
"""

import ast
import functools
from importlib.metadata import version
from pathlib import Path

from autograder.files import JUDGING, REPOSITORY, files_in, parsed, sha256, sha256_of_files
from autograder.source import syntax
from autograder.source.content import ALTERNATIVES, CHECK, REFERENCE, content

PACKAGE = REPOSITORY / "autograder"
REGISTERING = {"exercise", "mend"}
_text = functools.lru_cache(4096)(ast.unparse)  # while a file stays, `parsed` gives the same tree
_imports = functools.lru_cache(256)(syntax.imported)


def of_grader(release: Path) -> str:
    """The release, and the code that runs and judges whatever the exercise."""
    return sha256(release.read_bytes(), _grader())


@functools.cache
def of_everything() -> str:
    """All code that a verdict may depend on: the same on every machine that grades a class."""
    return _of_chapters() + _grader()


@functools.cache
def _grader() -> str:
    return _of_folders(*(PACKAGE / room for room in (*JUDGING, "notebook", "sandbox", "grading")))


def _of_chapters() -> str:
    folder = REPOSITORY / content().folder
    parts = {f"{part}.py" for part in (REFERENCE, ALTERNATIVES, CHECK)}
    return sha256_of_files([path for path in files_in(folder) if path.name in parts], folder)


def _of_folders(*folders: Path) -> str:
    modules = ([path for path in files_in(one) if path.suffix == ".py"] for one in folders)
    return sha256(version("torch"), *map(sha256_of_files, modules, folders))


def of_exercise(name: str, module: str, root: Path = REPOSITORY) -> str:
    """The check of `name` with all that it uses, its misconceptions, and the reference's module.

    The misconceptions of the exercises that the reference may use are its own too. Comments and
    layout do not count.
    """
    name = name.removeprefix("mend_")  # which is judged as what it stands beside
    path = root / content().file(module, CHECK)
    parts = [_text(statement) for statement in _about(parsed(path), name)]
    for other in sorted(_imported(path, root) - {path}):
        parts.append(_text(parsed(other)))
    reference = root / content().file(module, REFERENCE)
    references = sorted({reference} | _imported(reference, root))
    for other in references:
        parts += [other.parent.name, _text(parsed(other))]
    inside = _inside(name, [parsed(other) for other in references])
    for checks in (other.with_name(path.name) for other in references):
        statements = parsed(checks).body if checks.exists() else []
        parts += [_text(one) for one in statements if syntax.misconceptions_of(one) in inside]
    return sha256(*parts)


def chapters_with_exercises() -> set[str]:
    """The chapters that the checks are registered for: read, since to import them takes seconds."""
    modules = files_in(REPOSITORY / content().folder)
    calls = (
        call
        for path in modules
        if path.name == f"{CHECK}.py"
        for statement in parsed(path).body
        for call in syntax.registering(statement)
    )
    named = (keyword for call in calls for keyword in call.keywords if keyword.arg == "chapter")
    return {str(one.value.value) for one in named if isinstance(one.value, ast.Constant)}


def _about(module: ast.Module, name: str) -> list[ast.stmt]:
    """The statements that register `name`, those that they use, and those that cannot be told."""
    chosen, helpers, wanted = set(), {}, set()
    for index, statement in enumerate(module.body):
        registered = _registers(statement)
        defined = syntax.bound(statement)
        if registered is None and defined:
            helpers[index] = defined
        elif registered in (None, name):
            chosen.add(index)
            wanted |= syntax.used(statement)
    while found := {index for index, defined in helpers.items() if defined & wanted}:
        for index in found:
            wanted |= syntax.used(module.body[index])
            del helpers[index]
        chosen |= found
    return [module.body[index] for index in sorted(chosen)]


def _inside(name: str, modules: list[ast.Module]) -> set[str]:
    """The names of what a reference uses, directly or through others."""
    defined = {
        statement.name: statement
        for module in modules
        for statement in module.body
        if isinstance(statement, syntax.FunctionOrClass)
    }
    return syntax.made_by([name], defined).keys() - {name}


def _registers(statement: ast.stmt) -> str | None:
    for call in syntax.registering(statement):
        if _text(call.func) in REGISTERING:
            return getattr(call.args[0], "value", None) if call.args else None
    return syntax.misconceptions_of(statement)


def _imported(path: Path, root: Path) -> set[Path]:
    """The files of chapters that one of them imports, directly or through others."""
    found, todo = set[Path](), [path]
    while todo:
        for module in _imports(parsed(todo.pop())):
            if place := content().place(module):
                other = root / content().file(*place)
                if other not in found and other.exists():
                    found.add(other)
                    todo.append(other)
    return found
