"""What code may make of what it is given, or of its result, before anything else: one table.

These are no changes of the reference's own steps, and so they are found however it is written: an
input is scaled or turned around first, a mask is taken otherwise, a limit is off by one, the result
goes through one step more.
"""

import ast
import itertools
from collections.abc import Iterator
from dataclasses import dataclass

LAST, BEFORE, FIRST = "the last axis", "the next to last axis", "the first axis"
# For which kind of argument; what is done to it; what it is as if were so.
ENTRANCES: tuple[tuple[str, str, str], ...] = (
    ("mask", "{0} = {0} | ~{0}.any(dim=-1, keepdim=True)",
     "a row of `{0}` in which nothing is allowed allowed everything"),
    ("mask", "{0} = None", "`{0}` had been left out"),
    ("mask", "{0} = {0}.any(dim=-1, keepdim=True).expand_as({0})",
     "`{0}` were used only where a row of it allows nothing"),
    ("mask", "{0} = ~{0}", "True and False in `{0}` were exchanged"),
    ("mask", "{0} = {0}.transpose(-2, -1)", "the last two axes of `{0}` were exchanged"),
    ("mask", "{0} = {0} | (torch.eye(*{0}.shape[-2:], dtype=torch.bool) & "
             "~{0}.any(dim=-1, keepdim=True))",
     "in a row of `{0}` in which nothing is allowed each place still saw itself"),
    ("mask", "{0} = {0} | torch.eye(*{0}.shape[-2:], dtype=torch.bool)",
     "each place were allowed to see itself, whatever `{0}` says"),
    ("mask", "{0} = {0} & torch.ones({0}.shape[-2:], dtype=torch.bool).tril()",
     "only earlier places were allowed, beside what `{0}` says"),
    ("mask", "{0} = {0} & ~torch.eye(*{0}.shape[-2:], dtype=torch.bool)",
     "no place were allowed to see itself, beside what `{0}` says"),
    ("mask", "{0} = {0}[:1].expand_as({0})",
     "the first entry of `{0}` along its first axis stood for all"),
    ("tensor", "{0} = torch.nn.functional.normalize({0}, dim=-1)",
     "each vector of `{0}` were scaled to unit length first"),
    ("tensor", "{0} = torch.nn.functional.layer_norm({0}, {0}.shape[-1:])",
     "each vector of `{0}` were brought to mean 0 and variance 1 first"),
    ("tensor", "{0} = {0}.clamp(min=0)", "what is negative in `{0}` were set to zero first"),
    ("tensor", "{0} = {0}.transpose(-2, -1)", "the last two axes of `{0}` were exchanged"),
    ("tensor", "{0} = {0}.softmax(dim=-1)", "a softmax were taken of `{0}` first"),
    ("tensor", "{0} = {0} * {0}.shape[-1] ** 0.5",
     "`{0}` were multiplied by the root of the size of its last axis first"),
    ("tensor", "{0} = {0} / {0}.shape[-1] ** 0.5",
     "`{0}` were divided by the root of the size of its last axis first"),
    *(("tensor", f"{{0}} = {{0}}.flip({axis})", f"`{{0}}` came in reverse order along {words}")
      for axis, words in ((-2, BEFORE), (-1, LAST), (0, FIRST))),
    *(("tensor", f"{{0}} = {{0}}.roll({step}, {axis})",
       f"`{{0}}` were moved by one place toward the {to} along {words}")
      for axis, words in ((-2, BEFORE), (-1, LAST)) for step, to in ((1, "end"), (-1, "start"))),
    ("tensor", "{0} = {0}[:1].expand_as({0})",
     "the first entry of `{0}` along its first axis stood for all"),
    ("int", "{0} = {0} + 1", "`{0}` were one more than it is"),
    ("int", "{0} = {0} - 1", "`{0}` were one less than it is"),
    ("int", "{0} = max({0}, 1)", "`{0}` below 1 were taken for 1"),
    ("int", "{0} = abs({0})", "the sign of `{0}` were lost"),
    ("float", "{0} = {0} ** 2", "the square of `{0}` stood in its place"),
    ("float", "{0} = {0} ** 0.5", "the root of `{0}` stood in its place"),
    ("float", "{0} = 1 / {0}", "the reciprocal of `{0}` stood in its place"),
    ("float", "{0} = 1 - {0}", "one minus `{0}` stood in its place"),
    ("float", "{0} = 2 * {0}", "twice `{0}` stood in its place"),
    ("bool", "{0} = not {0}", "`{0}` were taken the other way around"),
    ("bool", "{0} = True", "`{0}` were True always"),
    ("bool", "{0} = False", "`{0}` were False always"),
)  # fmt: skip
# The same for all texts at once.
TEXTS: tuple[tuple[str, str], ...] = (
    ("{0} = {0}.casefold()", "{0} went through `casefold` first"),
    ("{0} = {0}.strip()", "blanks at the ends of {0} were left out"),
)
EXITS: tuple[tuple[str, str], ...] = (
    ("{0}.softmax(dim=-1)", "{1} went through a further softmax"),
    ("{0}.log_softmax(dim=-1)", "{1} went through a log-softmax at the end"),
    ("torch.nn.functional.normalize({0}, dim=-1)", "{1} were scaled to unit length at the end"),
    ("torch.nn.functional.layer_norm({0}, {0}.shape[-1:])",
     "{1} went through a layer norm at the end"),
    ("{0}.relu()", "{1} went through a relu at the end"),
    ("{0}.tanh()", "{1} went through a tanh at the end"),
    ("{0}.sigmoid()", "{1} went through a sigmoid at the end"),
    ("{0}.transpose(-2, -1)", "the last two axes of {1} were exchanged"),
    ("{0}.transpose(-2, -1).reshape({0}.shape)",
     "{1} were only reshaped where two axes should be exchanged, so that its numbers are mixed"),
    ("{0}.mean(dim=-2, keepdim=True).expand_as({0})",
     "all rows of {1} were the mean of what they should be"),
)  # fmt: skip
# What may stand for a mask that is not given, for so many queries and keys.
UNASKED: tuple[tuple[str, str], ...] = (
    ("torch.ones({0}, {1}, dtype=torch.bool).tril()", "only earlier places were allowed"),
    ("~torch.eye({0}, {1}, dtype=torch.bool)", "no place were allowed to see itself"),
)  # fmt: skip
# In which other order features may come: into which sizes they are cut, and in words.
REORDERED: tuple[tuple[str, str], ...] = (
    ("({0}, -1)",
     "the features of {1} came in another order: the first of each of {0} pieces, then the second "
     "of each, and so on"),
    ("(-1, {0})",
     "the features of {1} came in another order: first one of every {0}, then the next of every "
     "{0}, and so on"),
)  # fmt: skip
AROUND = (
    "the two features of a pair stood half of all features apart, in what comes in and in the "
    "result, and not side by side"
)
BOTH_WAYS = (
    "the mean of two results were returned: one as it should be, and one with `{0}` and `{1}` "
    "exchanged"
)
ROWS = "each row of the batch got a result of its own, and the mean of these were returned"
ADDED = "({0} + {2})", "`{2}` were added to {1}"
HIDDEN = (
    "{1} = {1}.masked_fill(~{0}.unsqueeze(-1), 0)",
    "`{0}` set to zero what it forbids in `{1}`",
)
PLACES = ("the first result", "the second result", "the third result", "the fourth result")


@dataclass(frozen=True)
class Altered:
    """A definition that makes something else of what it is given, or of its result."""

    kind: str
    clause: str  # to follow `as if`
    source: str


def altered(code: str) -> Iterator[Altered]:
    """Every such change of a function, or of what runs when an instance of a class is called."""
    call = _called(ast.parse(code))
    if call is None:
        return
    arguments = [(one.arg, kind) for one in call.args.args if (kind := _kind(one))]
    for kind, text, clause in ENTRANCES:
        for name, of in arguments:
            if of == kind:
                yield _entering(code, (name, of), text.format(name), clause.format(name))
    yield from _two_at_once(code, arguments)
    yield from _all_texts(code, [name for name, of in arguments if of == "str"])
    yield from _hidden_inputs(code, arguments)
    yield from _one_for_another(code, arguments)
    yield from _unasked_masks(code, arguments)
    yield from _reordered(code, arguments)
    yield from _row_by_row(code, arguments)
    yield from _both_ways(code, arguments)
    yield from _exits(code, [name for name, of in arguments if of == "tensor"])


def _two_at_once(code: str, arguments: list[tuple[str, str]]) -> Iterator[Altered]:
    """Two inputs of unit length, of which the score is a cosine."""
    text = "{0} = torch.nn.functional.normalize({0}, dim=-1)"
    tensors = [name for name, kind in arguments if kind == "tensor"]
    for one, other in itertools.combinations(tensors, 2):
        lines = f"{text.format(one)}\n{text.format(other)}"
        clause = f"each vector of `{one}` and of `{other}` were scaled to unit length first"
        yield _entering(code, (one, "tensor"), lines, clause)


def _all_texts(code: str, texts: list[str]) -> Iterator[Altered]:
    """All texts become others first."""
    quoted = " and ".join(f"`{name}`" for name in texts)
    for line, clause in TEXTS if texts else ():
        lines = "\n".join(line.format(name) for name in texts)
        yield Altered("str", clause.format(quoted), _beginning(code, lines))


def _hidden_inputs(code: str, arguments: list[tuple[str, str]]) -> Iterator[Altered]:
    """What a mask forbids is set to zero in an input; in the place of what it is for, or beside."""
    text, clause = HIDDEN
    for (mask, of), (name, kind) in itertools.product(arguments, arguments):
        if (of, kind) == ("mask", "tensor"):
            line, words = text.format(mask, name), clause.format(mask, name)
            yield _entering(code, (mask, of), f"{line}\n{mask} = None", f"{words}, and no more")
            yield _entering(code, (mask, of), line, f"{words}, beside what else it does")
            rows = f"{line}\n{mask} = {mask}.any(dim=-1, keepdim=True).expand_as({mask})"
            yield _entering(code, (mask, of), rows, f"{words}, and no more in rows that allow some")


def _unasked_masks(code: str, arguments: list[tuple[str, str]]) -> Iterator[Altered]:
    """A mask that nobody has given: of positions by themselves, or of one thing by another."""
    tensors = [name for name, kind in arguments if kind == "tensor"]
    masks = [name for name, kind in arguments if kind == "mask"]
    for mask, (text, words) in itertools.product(masks if tensors else [], UNASKED):
        sizes = [f"{name}.shape[-2]" for name in (tensors[0], tensors[min(1, len(tensors) - 1)])]
        own = text.format(*sizes)
        for line, where in (
            (f"{mask} = {own} if {mask} is None else {mask}", f" where no `{mask}` is given"),
            (f"{mask} = {own} if {mask} is None else {mask} & {own}", f", whatever `{mask}` says"),
        ):
            yield Altered("unasked", words + where, _beginning(code, line))


def _beginning(code: str, lines: str) -> str:
    """With these lines before all others."""
    tree = ast.parse(code)
    call = _called(tree)
    assert call is not None
    at = _after_docstring(call)
    call.body[at:at] = ast.parse(lines).body
    return ast.unparse(ast.fix_missing_locations(tree))


def _one_for_another(code: str, arguments: list[tuple[str, str]]) -> Iterator[Altered]:
    """One input in the place of another, from the beginning."""
    for (one, kind), (other, of) in itertools.permutations(arguments, 2):
        if kind == of and kind in ("tensor", "int"):
            clause = f"`{other}` stood where `{one}` belongs"
            yield Altered("instead", clause, _beginning(code, f"{one} = {other}"))


def _reordered(code: str, arguments: list[tuple[str, str]]) -> Iterator[Altered]:
    """Features are dealt out one by one where they should be cut into pieces, or the reverse."""
    tensors = [name for name, kind in arguments if kind == "tensor"]
    numbers = [name for name, kind in arguments if kind == "int"]
    axes = [f"{name}.shape[1]" for name in tensors[:1]]
    for part, (sizes, words) in itertools.product(["2", *numbers, *axes], REORDERED):
        moved = f"{{0}}.unflatten(-1, {sizes.format(part)}).transpose(-2, -1).flatten(-2)"
        text = f"({moved} if {{0}}.shape[-1] % {part} == 0 else {{0}})"
        number = part if part == "2" else f"`{part}`"
        for name in tensors:
            line = f"{name} = {text.format(name)}"
            yield _entering(code, (name, "tensor"), line, words.format(number, f"`{name}`"))
        yield _leaving(code, 0, text, words.format(number, "the result"))
        both = f"{moved}.mT.unflatten(-1, {sizes.format(part)}).transpose(-2, -1).flatten(-2).mT"
        told = words.format(number, "both of the last axes of the result")
        yield _leaving(code, 0, f"({both} if {{0}}.shape[-1] % {part} == 0 else {{0}})", told)
    if len(tensors) == 1:
        halves = "{0}.unflatten(-1, (2, -1)).transpose(-2, -1).flatten(-2)"
        pairs = "{0}.unflatten(-1, (-1, 2)).transpose(-2, -1).flatten(-2)"
        name = tensors[0]
        line = f"{name} = {halves.format(name)} if {name}.shape[-1] % 2 == 0 else {name}"
        yield _leaving(_beginning(code, line), 0, pairs, AROUND)


def _both_ways(code: str, arguments: list[tuple[str, str]]) -> Iterator[Altered]:
    """A function of two inputs, and of the two exchanged, and then the mean of both."""
    tensors = [name for name, kind in arguments if kind == "tensor"]
    for one, other in itertools.combinations(tensors, 2):
        found = _within(code)
        if found is None:
            return
        name, names, outer = found
        exchanged = [{one: other, other: one}.get(each, each) for each in names]
        whole = " + ".join(f"{name}({', '.join(each)})" for each in (names, exchanged))
        outer.body.append(_returning(f"({whole}) / 2"))
        source = ast.unparse(ast.fix_missing_locations(outer))
        yield Altered("both ways", BOTH_WAYS.format(one, other), source)


def _within(code: str) -> tuple[str, list[str], ast.FunctionDef] | None:
    """A function that has itself inside, under another name, and does nothing with it."""
    (inner,) = ast.parse(code).body
    (outer,) = ast.parse(code).body
    if not (isinstance(inner, ast.FunctionDef) and isinstance(outer, ast.FunctionDef)):
        return None
    inner.name = f"whole_{inner.name}"
    outer.body = [inner]
    return inner.name, [one.arg for one in inner.args.args], outer


def _row_by_row(code: str, arguments: list[tuple[str, str]]) -> Iterator[Altered]:
    """A function of each row of a batch by itself, and then the mean of the rows."""
    rows = [name for name, kind in arguments if kind in ("tensor", "mask")]
    found = _within(code)
    if found is None or not rows:
        return
    name, names, outer = found
    row = "{0} if {0} is None else {0}[at : at + 1]"
    given = ", ".join(row.format(each) if each in rows else each for each in names)
    call = f"{name}({given}) for at in range(len({rows[0]}))"
    outer.body.append(_returning(f"torch.stack([{call}]).mean(dim=0)"))
    yield Altered("rows", ROWS, ast.unparse(ast.fix_missing_locations(outer)))


def _returning(text: str) -> ast.Return:
    return ast.Return(ast.parse(text, mode="eval").body)


def _entering(code: str, argument: tuple[str, str], lines: str, clause: str) -> Altered:
    """With these lines before all others, where there is something to change."""
    name, kind = argument
    tree = ast.parse(code)
    call = _called(tree)
    assert call is not None
    body = ast.parse(lines).body
    given = ast.parse(f"{name} is not None", mode="eval").body
    call.body.insert(_after_docstring(call), ast.If(given, body, []))
    return Altered(kind, clause, ast.unparse(ast.fix_missing_locations(tree)))


def _exits(code: str, inputs: list[str]) -> Iterator[Altered]:
    """One step more of what is returned, of each result by itself."""
    call = _called(ast.parse(code))
    returned = [one.value for one in ast.walk(call) if isinstance(one, ast.Return)] if call else []
    counts = {len(one.elts) if isinstance(one, ast.Tuple) else 0 for one in returned}
    if len(counts) != 1:
        return
    for place in range(max(counts.pop(), 1)):
        several = any(isinstance(one, ast.Tuple) for one in returned)
        words = PLACES[min(place, len(PLACES) - 1)] if several else "the result"
        for text, clause in EXITS:
            yield _leaving(code, place, text, clause.format("", words))
        for name in inputs:
            text, clause = ADDED
            yield _leaving(
                code, place, text.format("{0}", "", name), clause.format("", words, name)
            )


def _leaving(code: str, place: int, text: str, clause: str) -> Altered:
    """With that step after all others."""
    tree = ast.parse(code)
    for one in ast.walk(_called(tree) or tree):
        if isinstance(one, ast.Return) and one.value is not None:
            value = one.value
            part = value.elts[place] if isinstance(value, ast.Tuple) else value
            more = ast.parse(text.format(f"({ast.unparse(part)})"), mode="eval").body
            if isinstance(value, ast.Tuple):
                value.elts[place] = more
            else:
                one.value = more
    return Altered("result", clause, ast.unparse(ast.fix_missing_locations(tree)))


def _called(tree: ast.Module) -> ast.FunctionDef | None:
    """The function, or of a class what runs when an instance is called."""
    (top,) = tree.body
    inside = top.body if isinstance(top, ast.ClassDef) else [top]
    names = ("forward",) if isinstance(top, ast.ClassDef) else (getattr(top, "name", ""),)
    found = [one for one in inside if isinstance(one, ast.FunctionDef) and one.name in names]
    return found[0] if found else None


def _kind(argument: ast.arg) -> str:
    """The kind of an argument, as its type hint says; empty for none of the table."""
    hint = ast.unparse(argument.annotation) if argument.annotation else ""
    if "Tensor" in hint and "Callable" not in hint and "[" not in hint:
        return "mask" if "mask" in argument.arg else "tensor"
    word = hint.split(" ")[0]
    return word if word in ("int", "float", "bool", "str") else ""


def _after_docstring(call: ast.FunctionDef) -> int:
    first = call.body[0]
    return int(isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant))
