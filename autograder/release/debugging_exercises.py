"""Debugging exercises: the student's cell holds the reference with one known misconception.

Which exercises come so, and with which misconception, is read from the chapter's checks, which are
never imported:

    @exercise("softmax", ..., mend="largest")    in the place of the one to write
    mend("softmax", "largest", points=1)         `mend_softmax`, beside it
    misconceptions["softmax"] = {"largest": ("...", {...})}
"""

import ast
import io
import subprocess
import sys
import tokenize
from collections.abc import Iterator
from pathlib import Path

from autograder.errors import ReleaseError
from autograder.files import parsed
from autograder.release.references import Reference, References, where_written
from autograder.source.changes import StaleMisconception, applied, changes_of
from autograder.source.content import CHECK
from autograder.source.syntax import misconceptions_of, registering

PREFIX = "mend_"
MEND = "mend"  # of a cell's metadata: its code is no solution, but what the student begins with


class DebuggingExercises:
    """The debugging exercises of a repository."""

    def __init__(self, references: References) -> None:
        self._references = references

    def with_misconception(self, module: str, grade: str) -> Reference | None:
        """The reference with a debugging exercise's misconception; None for any other exercise."""
        path = self._references.path(module).with_name(f"{CHECK}.py")
        if not path.is_file():
            return None
        name, keys = grade.removeprefix(PREFIX), mended(path)
        if grade not in keys:
            return None
        return self._changed(module, name, _planted(path, name, keys[grade]))

    def _changed(self, module: str, name: str, wanted: dict[str, str]) -> Reference:
        reference = self._references.find(module, name)
        try:
            changes = changes_of(reference.source, wanted, name)
        except StaleMisconception as error:
            raise ReleaseError(
                f"The misconception to be mended in {name} does not fit: {error}"
            ) from None
        return self._references.with_another(reference, applied(reference.source, changes))


def as_given(reference: Reference, name: str) -> str:
    """The code under a name, without comments and formatted: nothing shows what was changed."""
    lines = reference.source.split("\n")
    words = tokenize.generate_tokens(io.StringIO(reference.source).readline)
    for word in reversed(list(words)):  # from the end, so that earlier places stay true
        row, (start, end) = word.start[0] - 1, (word.start[1], word.end[1])
        if word.type == tokenize.COMMENT:
            lines[row] = lines[row][:start].rstrip()
            if not lines[row]:
                del lines[row]
        elif word.string == reference.name and not lines[row][:start].endswith("."):
            lines[row] = lines[row][:start] + name + lines[row][end:]
    return formatted("\n".join(lines))


def formatted(text: str, width: int = 100) -> str:
    """Code as ruff sets it. Raises ReleaseError where it is none."""
    command = [sys.executable, "-m", "ruff", "format", "--isolated", "--line-length", f"{width}"]
    command.append("-")
    done = subprocess.run(command, input=text, text=True, capture_output=True)
    if done.returncode:
        raise ReleaseError(f"What is to be mended is no code that can be set: {done.stderr}")
    return done.stdout.strip("\n")


def mended(path: Path) -> dict[str, str]:
    """The misconception of each debugging exercise, by the exercise's name."""
    keys = {}
    for call in (call for statement in parsed(path).body for call in registering(statement)):
        match ast.unparse(call.func), [_literal(item) for item in call.args]:
            case "exercise", [name] if "mend" in (options := _options(call)):
                keys[name] = _literal(options["mend"])
            case "mend", [name, key]:
                keys[f"{PREFIX}{name}"] = key
    return keys


def _planted(path: Path, name: str, key: str) -> dict[str, str]:
    for found, _, change in misconceptions(path, name):
        if found != key:
            continue
        if isinstance(change, ast.Call) and ast.unparse(change.func) == "by":
            raise ReleaseError(
                f"{_shown(path)}: the misconception {key!r} of {name} cannot be given to mend, "
                f"since it is no change of the text of {name} itself."
            )
        try:
            return ast.literal_eval(change)
        except ValueError:
            raise ReleaseError(
                f"{_shown(path)}: the changes of the misconception {key!r} of {name} must be "
                "written out, since a release only reads them."
            ) from None
    raise ReleaseError(f"{_shown(path)}: {name} has no misconception {key!r} to be mended.")


def misconceptions(path: Path, name: str) -> Iterator[tuple[str, str, ast.expr]]:
    """Key, sentence and first change of each entry that `misconceptions[name]` is set to."""
    for statement in parsed(path).body:
        if misconceptions_of(statement) != name:
            continue
        match statement:
            case ast.Assign(value=ast.Dict(keys, ways)):
                for key, way in zip(keys, ways, strict=True):
                    match key, way:
                        case (
                            ast.Constant(str(found)),
                            ast.Tuple([ast.Constant(str(sentence)), change, *_]),
                        ):
                            yield found, sentence, change


def _shown(path: Path) -> str:
    return where_written(path.parent.name, path.stem)


def _options(call: ast.Call) -> dict[str, ast.expr]:
    return {item.arg: item.value for item in call.keywords if item.arg}


def _literal(node: ast.expr) -> str:
    return str(node.value) if isinstance(node, ast.Constant) else ""
