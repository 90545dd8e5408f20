"""What a verdict depends on besides the submission, as hashes: what stayed is not graded again.

There are two kinds: one hash for all that every verdict of a chapter depends on (the release, the
grader), and one for each exercise (its check, its mistakes, its reference). When a check is
mended, only its own exercise is judged again.
"""

import ast
import functools
from importlib.metadata import version
from pathlib import Path

from autograder.checking.content import content
from autograder.files import REPOSITORY, files_in, sha256, sha256_of_files

PACKAGE = REPOSITORY / "autograder"
REGISTERING = {"exercise", "mend"}


def of_grader(release: Path) -> str:
    """The release, and the code that runs and judges whatever the exercise."""
    return sha256(release.read_bytes(), _grader())


@functools.cache
def of_everything() -> str:
    """All code that a verdict may depend on: the same on every machine that grades a class."""
    return _of_folders(*(REPOSITORY / folder for folder in content().folders)) + _grader()


@functools.cache
def _grader() -> str:
    return _of_folders(PACKAGE / "checking", PACKAGE / "sandbox", PACKAGE / "grading")


def _of_folders(*folders: Path) -> str:
    modules = ([path for path in files_in(one) if path.suffix == ".py"] for one in folders)
    return sha256(version("torch"), *map(sha256_of_files, modules, folders))


def of_exercise(name: str, module: str, root: Path = REPOSITORY) -> str:
    """The check of `name` with all that it uses, its mistakes, and the reference's module.

    The mistakes of the exercises that the reference may use are its own too. Comments and layout do
    not count.
    """
    name = name.removeprefix("mend_")  # which is judged as what it stands beside
    exercises, solutions = content().folders
    path = root / exercises / f"{module}.py"
    parts = [ast.unparse(statement) for statement in _about(_parsed(path), name)]
    for used in sorted(_imported(path, content().exercises, root) - {path}):
        parts.append(ast.unparse(_parsed(used)))
    reference = root / solutions / f"{module}.py"
    references = sorted({reference} | _imported(reference, content().solutions, root))
    for used in references:
        parts += [used.name, ast.unparse(_parsed(used))]
    inside = _inside(name, [_parsed(used) for used in references])
    for checks in (path.with_name(used.name) for used in references):
        found = _parsed(checks).body if checks.exists() else []
        parts += [
            ast.unparse(one) for one in found if _mistakes_of(one) and _registers(one) in inside
        ]
    return sha256(*parts)


def _parsed(path: Path) -> ast.Module:
    return _tree(path, path.stat().st_mtime_ns)


@functools.lru_cache(maxsize=256)
def _tree(path: Path, changed: int) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def _about(module: ast.Module, name: str) -> list[ast.stmt]:
    """The statements that register `name`, those that they use, and those that cannot be told."""
    chosen, helpers, wanted = set(), {}, set()
    for index, statement in enumerate(module.body):
        registered = _registers(statement)
        defined = _defines(statement)
        if registered is None and defined:
            helpers[index] = defined
        elif registered in (None, name):
            chosen.add(index)
            wanted |= _uses(statement)
    while found := {index for index, defined in helpers.items() if defined & wanted}:
        for index in found:
            wanted |= _uses(module.body[index])
            del helpers[index]
        chosen |= found
    return [module.body[index] for index in sorted(chosen)]


def _inside(name: str, modules: list[ast.Module]) -> set[str]:
    """The names of what a reference uses, directly or through others."""
    defined = {
        statement.name: statement
        for module in modules
        for statement in module.body
        if isinstance(statement, ast.FunctionDef | ast.ClassDef)
    }
    found, todo = set(), {name} & defined.keys()
    while todo:
        used = set().union(*(_uses(defined[one]) for one in todo)) & defined.keys()
        found |= todo
        todo = used - found
    return found - {name}


def _mistakes_of(statement: ast.stmt) -> ast.expr | None:
    """The name in `mistakes["name"] = ...`, if it is that."""
    target = statement.targets[0] if isinstance(statement, ast.Assign) else None
    if isinstance(target, ast.Subscript) and ast.unparse(target.value) == "mistakes":
        return target.slice
    return None


def _registers(statement: ast.stmt) -> str | None:
    if name := _mistakes_of(statement):
        return getattr(name, "value", None)
    decorators = [statement.value] if isinstance(statement, ast.Expr) else []
    for decorator in getattr(statement, "decorator_list", decorators):
        if isinstance(decorator, ast.Call) and ast.unparse(decorator.func) in REGISTERING:
            return getattr(decorator.args[0], "value", None) if decorator.args else None
    return None


def _defines(statement: ast.stmt) -> set[str]:
    if isinstance(statement, ast.FunctionDef | ast.ClassDef):
        return {statement.name}
    if isinstance(statement, ast.Assign | ast.AnnAssign):
        stored = (node for node in ast.walk(statement) if isinstance(node, ast.Name))
        return {node.id for node in stored if isinstance(node.ctx, ast.Store)}
    if isinstance(statement, ast.Import | ast.ImportFrom):
        return {(alias.asname or alias.name).split(".")[0] for alias in statement.names}
    return set()


def _uses(statement: ast.stmt) -> set[str]:
    return {node.id for node in ast.walk(statement) if isinstance(node, ast.Name)}


def _imported(path: Path, package: str, root: Path) -> set[Path]:
    """The modules of one package that a module imports, directly or through others of it."""
    found: set[Path] = set()
    todo = [path]
    while todo:
        for node in ast.walk(_parsed(todo.pop())):
            module = node.module or "" if isinstance(node, ast.ImportFrom) else ""
            if module.startswith(f"{package}."):
                used = root / Path(*module.split(".")).with_suffix(".py")
                if used not in found and used.exists():
                    found.add(used)
                    todo.append(used)
    return found
