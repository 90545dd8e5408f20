"""References as text, with all that they use, and what the text makes when part of it is changed.

The text is that of `solutions`, or in a student's installation a copy that is packed beside the
recordings.
"""

import ast
import base64
import functools
import importlib.util
import re
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from autograder.source import syntax
from autograder.source.content import ALTERNATIVES, REFERENCE, content

# What a student's installation carries of references.
SOURCE, ANSWERS, PATTERNS = ".source", ".answers", ".patterns"
ENGINE = __name__.split(".")[0]  # whose imports are no part of a solution
RECORDINGS = Path(__file__).resolve().parent.parent / "recordings"


class NoSource(LookupError):
    """There is no such reference here as text."""


@dataclass(frozen=True)
class Definition:
    """A function or class of a module, as written, after the ones that it uses."""

    module: str
    name: str
    code: str
    uses: tuple["Definition", ...] = ()

    @functools.cached_property
    def whole(self) -> dict[str, "Definition"]:
        """All that it uses and then itself, by name."""
        definitions: dict[str, Definition] = {}
        for used in self.uses:
            definitions |= used.whole
        return definitions | {self.name: self}

    def built(self, changed: Mapping[str, str] | None = None) -> Any:
        """What the text makes, with another text for some of the names."""
        names: dict[str, Any] = {}
        for module in dict.fromkeys(item.module for item in self.whole.values()):
            exec(_compiled(_parsed(module).header), names)
        for name, item in self.whole.items():
            exec(_compiled((changed or {}).get(name, item.code)), names)
        return names[self.name]

    def source(self, changed: Mapping[str, str]) -> str:
        """The text that makes the same in a notebook that has the unchanged ones."""
        texts = {self.name: self.code}
        for name, item in self.whole.items():
            if name in changed or any(used.name in texts for used in item.uses):
                texts[name] = changed.get(name, item.code)
        return "\n\n".join(texts[name] for name in self.whole if name in texts)

    @functools.cached_property
    def signature(self) -> list[str]:
        """The names of the arguments; for a class, of those of its `__init__`."""
        tree = ast.parse(self.code).body[0]
        return _arguments(tree if isinstance(tree, ast.FunctionDef) else _method(tree, "__init__"))

    @functools.cached_property
    def options(self) -> list[tuple[str, str]]:
        """When an option is given, and when it is not: as Python, and in words."""
        tree = ast.parse(self.code).body[0]
        own, call = "", tree
        if isinstance(tree, ast.ClassDef):
            own, call = "self.", _method(tree, "forward") or tree
        kept = _optional(_method(tree, "__init__")) if own else {}
        stored = {
            name: value for name, value in kept.items() if f"self.{name} = {name}" in self.code
        }
        conditions = [*_conditions(own, stored)]
        conditions += _conditions("", _optional(call)) if isinstance(call, ast.FunctionDef) else []
        return conditions

    @functools.cached_property
    def defaults(self) -> dict[str, Any]:
        """What is left out stands for these: of a class, when it is made and when it is called."""
        tree = ast.parse(self.code).body[0]
        calls = [_method(tree, "__init__"), _method(tree, "forward")]
        found = [_optional(one) for one in ([tree] if isinstance(tree, ast.FunctionDef) else calls)]
        return {
            name: value
            for each in found
            for name, value in each.items()
            if not isinstance(value, ast.AST | type(...))
        }

    @property
    def docstring(self) -> str:
        """Its contract."""
        tree = ast.parse(self.code).body[0]
        assert isinstance(tree, ast.FunctionDef | ast.ClassDef)
        return ast.get_docstring(tree) or ""

    def method(self, name: str) -> list[str]:
        """For a class: the names of the arguments of a method."""
        return _arguments(_method(ast.parse(self.code).body[0], name))


def _method(made: ast.stmt, name: str) -> ast.FunctionDef | None:
    inside = made.body if isinstance(made, ast.ClassDef) else []
    methods = [item for item in inside if isinstance(item, ast.FunctionDef) and item.name == name]
    return methods[0] if methods else None


def _arguments(function: ast.FunctionDef | None) -> list[str]:
    if function is None:
        return []
    arguments = function.args
    names = [item.arg for item in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]
    return names[1:] if names[:1] == ["self"] else names


def _optional(function: ast.FunctionDef | None) -> dict[str, Any]:
    """The arguments that may be left out, with what they are then."""
    if function is None:
        return {}
    arguments = function.args
    last = arguments.args[len(arguments.args) - len(arguments.defaults) :]
    pairs = zip(last, arguments.defaults, strict=True)
    return {one.arg: getattr(value, "value", ...) for one, value in pairs}


def _conditions(prefix: str, optional: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for name, value in optional.items():
        if isinstance(value, bool):
            yield f"{prefix}{name}", f"With {name}=True"
            yield f"not {prefix}{name}", f"With {name}=False"
        elif value is None:
            yield f"{prefix}{name} is not None", f"Where a `{name}` is given"
            yield f"{prefix}{name} is None", f"Where no `{name}` is given"


def branched(right: str, wrong: str, condition: str) -> str:
    """One definition that does what a wrong text does under a condition, and else the right one.

    Raises LookupError where the two differ in more than the function, or the method `forward`.
    """
    tops = [ast.parse(text).body[0] for text in (right, wrong)]
    one, other, dispatch = (_called(top) for top in (*tops, ast.parse(right).body[0]))
    bodies = [call.body for call in (one, other)]
    one.body, other.body = [ast.Pass()], [ast.Pass()]  # while the rest is compared
    if ast.dump(tops[0]) != ast.dump(tops[1]):
        raise LookupError("they differ in more than that")
    made = isinstance(tops[0], ast.ClassDef)
    given = ", ".join(each.arg for each in one.args.args[made:])
    own, name = "self." * made, one.name
    text = f"({own}wrong_{name} if {condition} else {own}right_{name})({given})"
    dispatch.body = [ast.Return(ast.parse(text, mode="eval").body)]
    one.body, other.body = bodies
    one.name, other.name = f"right_{name}", f"wrong_{name}"
    if isinstance(tops[0], ast.ClassDef):
        tops[0].body += [other, dispatch]
        parts: list[ast.stmt] = [tops[0]]
    else:
        parts = [one, other, dispatch]
    return "\n\n".join(ast.unparse(ast.fix_missing_locations(part)) for part in parts)


def _called(top: ast.stmt) -> ast.FunctionDef:
    """A function, or of a class what runs when an instance is called."""
    call = _method(top, "forward") if isinstance(top, ast.ClassDef) else top
    if not isinstance(call, ast.FunctionDef):
        raise LookupError("nothing is called")
    return call


def definition(module: str, name: str, style: str = "") -> Definition:
    """The reference `name` of a module, or its alternative in some style: one object for each.

    Raises NoSource.
    """
    return _definition(module, name, style)


def alternatives(module: str, name: str) -> list[Definition]:
    """The other right ways to write a reference, where their text is here."""
    try:
        styles = _parsed(f"{module}.{ALTERNATIVES}").styles
    except NoSource:
        return []
    return [definition(module, name, style) for exercise, style in styles if exercise == name]


@functools.cache
def _definition(module: str, name: str, style: str) -> Definition:
    parsed = _parsed(f"{module}.{ALTERNATIVES}" if style else module)
    if (name, style) not in parsed.styles if style else name not in parsed.nodes:
        what = f"alternative {style!r} of {name}" if style else name
        raise NoSource(f"There is no {what} in the solutions of {module}.")
    code = parsed.styles[name, style] if style else f"{parsed.code_of(name)}\n"
    used = syntax.used(ast.parse(code)) - {name}
    homes = filter(None, map(parsed.home_of, sorted(used)))
    return Definition(parsed.name, name, code, tuple(definition(*home) for home in homes))


@dataclass(frozen=True)
class Module:
    """A module of references, or of other ways to write them, taken apart and never run."""

    name: str  # the chapter; for other ways to write them, the part of it too
    lines: tuple[str, ...]
    nodes: dict[str, syntax.FunctionOrClass]
    imports: list[tuple[str, str]]  # a name, and the import that binds it alone
    origins: dict[str, tuple[str, str]]  # name -> the reference of another module that it is
    styles: dict[tuple[str, str], str]  # what alternatives register
    assigned: set[str]  # names that are none of these

    @functools.cached_property
    def header(self) -> str:
        """All its imports but those of other references."""
        return "\n".join(statement for _, statement in self.imports)

    def code_of(self, name: str) -> str:
        """The text of a definition."""
        node = self.nodes[name]
        return "\n".join(self.lines[syntax.first_line(node) - 1 : node.end_lineno])

    def home_of(self, name: str) -> tuple[str, str] | None:
        """The module and name of the reference that a name stands for here, if it is one."""
        return (self.name, name) if name in self.nodes else self.origins.get(name)


def taken_apart(module: str, text: str) -> Module:
    """A module of that name and text."""
    whole = Module(module, tuple(text.split("\n")), {}, [], {}, {}, set())
    for statement in ast.parse(text, f"{module}.py").body:
        if isinstance(statement, syntax.FunctionOrClass):
            _take_definition(whole, statement)
        elif isinstance(statement, ast.Import | ast.ImportFrom):
            _take_imports(whole, statement)
        else:
            whole.assigned.update(syntax.assigned(statement))
    return whole


def _take_definition(module: Module, node: syntax.FunctionOrClass) -> None:
    registered = list(filter(None, map(_style, node.decorator_list)))
    code = "\n".join([*module.lines[node.lineno - 1 : node.end_lineno], ""])
    for name, style in registered:
        module.styles[name, style] = re.sub(r"\A(def|class) _\b", rf"\1 {name}", code)
    if not registered:
        module.nodes[node.name] = node


def _take_imports(module: Module, statement: ast.Import | ast.ImportFrom) -> None:
    origin = getattr(statement, "module", None) or ""
    if origin.split(".")[0] == ENGINE:
        return
    place = content().place(origin)
    for alias in statement.names:
        name = syntax.name_of(alias)
        if place:
            module.origins[name] = place[0], alias.name
        else:
            alone = type(statement)(**{**vars(statement), "names": [alias]})
            module.imports.append((name, ast.unparse(alone)))


@functools.cache
def _parsed(module: str) -> Module:
    return taken_apart(module, text_of(module))


def _style(decorator: ast.expr) -> tuple[str, str] | None:
    if isinstance(decorator, ast.Call) and ast.unparse(decorator.func) == "alternative":
        name, style = (ast.literal_eval(item) for item in decorator.args)
        return name, style
    return None


@functools.lru_cache(maxsize=4096)
def _compiled(code: str) -> Any:
    return compile(code, "<reference>", "exec")


def text_of(module: str) -> str:
    """The text of a chapter's references, or of another file of its folder: `softmax.check`."""
    chapter, _, part = module.partition(".")
    packed = RECORDINGS / packed_name(chapter, part or REFERENCE)
    if packed.exists():
        return unpacked(packed.read_bytes())
    try:
        spec = importlib.util.find_spec(content().module(chapter, part or REFERENCE))
    except ModuleNotFoundError:
        spec = None
    if spec is None or not spec.origin:
        raise NoSource(f"There are no solutions of {module} here.")
    return Path(spec.origin).read_text(encoding="utf-8")


def packed_name(chapter: str, part: str) -> str:
    """The name under which it carries a file of a chapter."""
    return f"{chapter}.{part}{SOURCE}"


def packed(text: str) -> bytes:
    """A module's text as a student's installation carries it: not to be read by accident."""
    return base64.b85encode(zlib.compress(text.encode()))


def unpacked(blob: bytes) -> str:
    """The text again."""
    return zlib.decompress(base64.b85decode(blob)).decode()
