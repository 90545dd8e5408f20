"""A slip in words, to follow `as if`: which step, which argument, which axis it is about.

Only names that a learner knows are said: those of the contract and of torch's own functions.
"""

import ast
import re
from collections.abc import Callable, Collection, Iterator, Sequence

from autograder.source.edits import is_module
from autograder.source.mutations import Mutant

SIGNS: dict[type, str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%",
    ast.MatMult: "@", ast.Pow: "**", ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^",
    ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!=",
    ast.Is: "is", ast.IsNot: "is not", ast.In: "in", ast.NotIn: "not in", ast.And: "and",
    ast.Or: "or",
}  # fmt: skip
# What of a sequence a loop leaves out: the end that is cut off, and the other one where it runs
# over the sequence backward.
CUT_OFF = {"[:-1]": ("last", "first"), "[1:]": ("first", "last")}
AXES = {
    "-1": "the last axis", "-2": "the next to last axis", "-3": "the third to last axis",
    "0": "the first axis", "1": "the second axis", "2": "the third axis",
}  # fmt: skip


def clause(mutant: Mutant, contract: Sequence[str]) -> str:
    """The slip in words; empty where they would tell nothing, as of a step and another step."""
    if mutant.told:
        named = [_what(node, mutant.code, contract) for node in mutant.told.about]
        if mutant.slip in OF_TWO and (STEP in named or len({*named}) < len(named)):
            return ""
        if mutant.slip == "early" and not any("`" in one for one in named):
            return ""
        words = mutant.told.words.format(*named)
        return "" if words.endswith(f"not applied to {STEP}") else words
    words = WORDS[mutant.slip](mutant, contract) if mutant.slip in WORDS else ""
    return words or PLAINLY[mutant.slip]


OPERATIONS: dict[type, str] = {
    ast.Add: "a sum", ast.Sub: "a difference", ast.Mult: "a product", ast.Div: "a quotient",
    ast.FloorDiv: "a quotient", ast.MatMult: "a product of matrices", ast.Pow: "a power",
    ast.Mod: "a remainder", ast.Compare: "a comparison",
}  # fmt: skip
SHAPING = {
    *("unsqueeze", "squeeze", "reshape", "view", "expand", "transpose", "permute", "flatten"),
    *("contiguous", "to", "float", "double", "type_as", "clone", "broadcast_to", "expand_as"),
}  # what says nothing of the numbers
STEP = "what a step has made"
# What two steps have to do with one another says nothing of steps that have no name.
OF_TWO = {"other step", "exchanged sizes", "not handed on", "step order"}


def _what(node: ast.AST, code: str, contract: Sequence[str]) -> str:
    """An expression in words that a learner knows: an argument, or what some function gives."""
    if isinstance(node, ast.Name | ast.Attribute):
        name = getattr(node, "id", getattr(node, "attr", ""))
        if name in contract:
            return f"`{name}`"
        made = [one for one in _assignments(code, name) if name not in _read(one)]
        before = [one for one in made if one.lineno < getattr(node, "lineno", 0)]
        told = {_what(one, code, contract) for one in before[-1:] or made}
        return " or ".join(sorted(told)) if len(told) in (1, 2) and STEP not in told else STEP
    if isinstance(node, ast.Constant):
        return ast.unparse(node)
    if isinstance(node, ast.IfExp):
        return _what(node.body, code, contract)
    if isinstance(node, ast.UnaryOp):
        return _what(node.operand, code, contract)
    if isinstance(node, ast.Subscript):
        return f"a part of {_what(node.value, code, contract)}"
    if isinstance(node, ast.Call) and _called(node) in SHAPING:
        own = node.func.value if isinstance(node.func, ast.Attribute) else None
        inside = node.args[0] if node.args and (own is None or is_module(own)) else own
        return _what(inside, code, contract) if inside is not None else STEP
    if isinstance(node, ast.Call) and _is_known(_called(node), code):
        return f"what `{_called(node)}` gives"
    operation = OPERATIONS.get(type(getattr(node, "op", node)), "")
    names = [name for name in contract if name in _read_by_name(node, code)]
    of = f" of {' and '.join(f'`{name}`' for name in names[:2])}" if len(names) in (1, 2) else ""
    return f"{operation}{of}" if operation else STEP


def _read_by_name(node: ast.AST, code: str) -> set[str]:
    """The names in an expression, and those that they stand for."""
    found = _read(node)
    for name in _read(node):
        made = _assignments(code, name)
        found |= {getattr(one, "id", getattr(one, "attr", "")) for one in made}
    return found


def _is_known(name: str, code: str) -> bool:
    """Whether a function is none of the code's own."""
    own = name.startswith("_") or f"def {name}(" in code or bool(_assignments(code, name))
    return bool(name) and not own


def _assignments(code: str, name: str) -> list[ast.expr]:
    """What a name is set to, wherever it is, alone or with others."""
    assigned = [one for one in ast.walk(ast.parse(code)) if isinstance(one, ast.Assign)]
    return [one.value for one in assigned if name in {each.id for each in _names(one.targets[0])}]


def _read(node: ast.AST) -> set[str]:
    return {one.id for one in _names(node)}


def beside(mutant: Mutant, contract: Sequence[str], code: str) -> list[str]:
    """The arguments of which what has changed is made, a few steps back."""
    made = _made_of(code)
    if mutant.slip in ("given", "step order"):
        found = mutant.names
    elif isinstance(mutant.before, ast.stmt):  # a step of many
        found = set(re.findall(r"\w+", mutant.words[0]))
    else:
        found = {one.id for one in _names(mutant.before)}
        found |= {one.attr for one in ast.walk(mutant.before) if isinstance(one, ast.Attribute)}
    for _ in range(4):
        if near := [name for name in contract if name in found]:
            return near
        found |= {source for name in found for source in made.get(name, ())}
    return []


def _made_of(code: str) -> dict[str, set[str]]:
    """Of each name that is set somewhere, the names in what it is set to."""
    made: dict[str, set[str]] = {}
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Assign):
            targets = {one.id for each in node.targets for one in _names(each)}
            for target in targets:
                made.setdefault(target, set()).update(one.id for one in _names(node.value))
    return made


def _names(node: ast.AST) -> Iterator[ast.Name]:
    return (one for one in ast.walk(node) if isinstance(one, ast.Name))


def _sign(node: ast.AST) -> str:
    found = getattr(node, "op", None) or next(iter(getattr(node, "ops", ())), None)
    return SIGNS.get(type(found), "")


def _other_sign(mutant: Mutant, contract: Sequence[str]) -> str:
    """The sign of an operation or a comparison is another one."""
    one, other = _sign(mutant.before), _sign(mutant.after)
    return f"`{other}` stood where `{one}` belongs" if one and other and one != other else ""


def _order(mutant: Mutant, contract: Sequence[str]) -> str:
    if isinstance(mutant.before, ast.BinOp):
        return f"the two sides of `{_sign(mutant.before)}` were exchanged"
    if isinstance(mutant.before, ast.Call):
        return f"the first two arguments of `{_called(mutant.before)}` were exchanged"
    return "the results were returned in another order"


def _condition(mutant: Mutant, contract: Sequence[str]) -> str:
    if isinstance(mutant.before, ast.BoolOp):
        return _other_sign(mutant, contract) or "a part of a condition were missing"
    if isinstance(mutant.before, ast.UnaryOp):
        return "True and False were exchanged"
    test = getattr(mutant.before, "test", mutant.before)
    names = [one.id for one in _names(test) if one.id in contract]
    return f"the condition on `{names[0]}` were taken the other way around" if names else ""


def _number(mutant: Mutant, contract: Sequence[str]) -> str:
    """Which number stands where, and in what: along an axis, at an index, in a call."""
    old, new = (ast.unparse(node).removeprefix("+") for node in (mutant.before, mutant.after))
    inside = mutant.around[0] if mutant.around else None
    if isinstance(inside, ast.Call):
        for option in inside.keywords:
            if option.arg == "dim":
                return _along(_called(inside), new, old)
        return f"{new} stood where {old} belongs, in a call of `{_called(inside)}`"
    if isinstance(inside, ast.Subscript):
        return f"an index or the end of a slice were {new}, where {old} belongs"
    if isinstance(inside, ast.BinOp):
        other = inside.left if ast.unparse(inside.right).removeprefix("+") == new else inside.right
        beside_it = _what(other, mutant.code, contract)
        return f"{new} stood where {old} belongs, with `{_sign(inside)}` beside {beside_it}"
    return f"{new} stood where {old} belongs" if len(new + old) < 20 else ""


def _along(function: str, new: str, old: str) -> str:
    one, other = AXES.get(new, f"axis {new}"), AXES.get(old, f"axis {old}")
    return f"`{function}` ran along {one}, where {other} belongs"


def _function(mutant: Mutant, contract: Sequence[str]) -> str:
    old, new = mutant.words
    good = old.isidentifier() and new.isidentifier()
    return f"`{new}` stood where `{old}` belongs" if good else ""


def _option(mutant: Mutant, contract: Sequence[str]) -> str:
    if not (isinstance(mutant.before, ast.Call) and isinstance(mutant.after, ast.Call)):
        return ""
    given, left = ({one.arg for one in call.keywords} for call in (mutant.before, mutant.after))
    gone, new = given - left, left - given
    if gone and new:
        return f"the option `{new.pop()}` of `{_called(mutant.before)}` stood for `{gone.pop()}`"
    name = _called(mutant.before)
    if gone == {"dim"} and "softmax" not in name:
        return _without_axis(name)
    return f"`{name}` had no `{gone.pop()}`" if gone else ""


def _without_axis(name: str) -> str:
    """What a function does that is not told an axis: most take all of them, these the first."""
    if name.rpartition(".")[2] in FIRST_AXIS:
        return f"`{name}` ran along the first axis, where another one belongs"
    return f"`{name}` ran over all axes at once"


FIRST_AXIS = {"unbind", "cat", "concat", "stack", "split", "chunk"}


def _left_out(mutant: Mutant, contract: Sequence[str]) -> str:
    if isinstance(mutant.before, ast.Call):
        name = _called(mutant.before)
        return f"the step `{name}` were left out" if name else ""
    return ""


def _not_handed_on(mutant: Mutant, contract: Sequence[str]) -> str:
    named = [one for one in contract if one in mutant.words[0].split()]
    return f"`{named[0]}` were not handed on to what needs it" if named else ""


def _loop(mutant: Mutant, contract: Sequence[str]) -> str:
    over = ast.unparse(getattr(mutant.before, "iter", mutant.before))
    text = ast.unparse(getattr(mutant.after, "iter", mutant.after))
    if text.endswith("[::-1]"):
        return "a loop took what it runs over in the opposite order"
    backward = over.startswith("reversed(") or over.endswith("[::-1]")
    named = re.sub(r"^reversed\(|\)$|\[::-1\]$", "", over)
    what = f"`{named}`" if named in contract else "what it should run over"
    ends = (words for cut, words in CUT_OFF.items() if text.endswith(cut))
    return next((f"a loop left out the {each[backward]} of {what}" for each in ends), "")


def _mixed_up(mutant: Mutant, contract: Sequence[str]) -> str:
    old, new = (re.sub(r"^self \. ", "", word) for word in mutant.words)
    known = {old, new} <= set(contract)
    return f"`{new}` stood where `{old}` belongs" if known else ""


def _axis(mutant: Mutant, contract: Sequence[str]) -> str:
    if not (isinstance(mutant.before, ast.Call) and isinstance(mutant.after, ast.Call)):
        return _axis_everywhere(mutant)
    old, new = (_dim(call) for call in (mutant.before, mutant.after))
    name = _called(mutant.before)
    if not new:
        return _without_axis(name)
    if not old:
        return f"`{name}` ran along {AXES.get(new, new)} alone"
    if old == "dim":
        return f"`{name}` did not run along `dim`, but always along {AXES.get(new, new)}"
    return _along(name, new, old)


def _axis_everywhere(mutant: Mutant) -> str:
    """All that runs along an axis does so along the same other one."""
    along = [one for one in ast.walk(mutant.after) if isinstance(one, ast.Call) and _dim(one)]
    axes = {_dim(one) for one in along}
    if len(axes) != 1:
        return ""
    names = ", ".join(dict.fromkeys(f"`{_called(one)}`" for one in along))
    (axis,) = axes
    return f"all that runs along one axis ({names}) ran along {AXES.get(axis, axis)}"


def _dim(call: ast.Call) -> str:
    return next((ast.unparse(one.value) for one in call.keywords if one.arg == "dim"), "")


def _new_axis(mutant: Mutant, contract: Sequence[str]) -> str:
    old, new = (ast.unparse(node).count("None") for node in (mutant.before, mutant.after))
    return "a new axis were missing" if new < old else "a new axis stood at another place"


def _given(mutant: Mutant, contract: Sequence[str]) -> str:
    named = re.findall(r"as_given_(\w+)", mutant.source)
    return (
        f"a step started from `{named[0]}` as it was given, not from what the step before has made "
        "of it"
        if named
        else ""
    )


def _exchanged(mutant: Mutant, contract: Sequence[str]) -> str:
    new = mutant.source.split("\n")
    pairs = [re.fullmatch(r" *(\w+), (\w+) = \(?(\w+), (\w+)\)?", line) for line in new]
    for found in filter(None, pairs):
        one, other, other_again, one_again = found.groups()
        if (one, other) == (one_again, other_again) and {one, other} <= set(contract):
            return f"`{one}` and `{other}` had changed places"
    return ""


def _called(node: ast.AST) -> str:
    """The name of a function or method that is called, where it is torch's own or a layer's."""
    function = getattr(node, "func", None)
    return str(getattr(function, "attr", getattr(function, "id", "")))


WORDS: dict[str, Callable[[Mutant, Sequence[str]], str]] = {
    "operation": _other_sign,
    "order": _order,
    "comparison": _other_sign,
    "condition": _condition,
    "number": _number,
    "function": _function,
    "option": _option,
    "left out": _left_out,
    "not handed on": _not_handed_on,
    "loop": _loop,
    "mixed up": _mixed_up,
    "axis": _axis,
    "new axis": _new_axis,
    "given": _given,
    "exchanged": _exchanged,
}
PLAINLY = {
    "operation": "two numbers were combined by another operation than they should be",
    "order": "two things were exchanged: the sides of an operation, arguments, or results",
    "comparison": "a comparison went the other way, or treated the limit itself otherwise",
    "condition": "a condition were taken the other way around",
    "number": "a number were another one than it should be: a size, an index or a constant",
    "exponent": "the exponent of a power had the other sign, which is the same as to multiply by "
    "the power where it should be divided by it, or the other way around",
    "sign": "a sign were missing, or one too many",
    "function": "one function stood in the place of its neighbor",
    "option": "an option of a function were missing, such as the axis along which it works",
    "error": "the error that is raised were of another type than it should be",
    "left out": "a step were left out",
    "cut off": "the result were cut off from an input, so that no gradient gets there",
    "precision": "the numbers passed through float32 on their way",
    "not handed on": "an argument were not handed on to what needs it",
    "loop": "a loop left out some of what it should run over",
    "whole number": "a root were cut to a whole number",
    "half": "something were divided by two in the place of its root: `x ** 1 / 2` is half of x, as "
    "the power comes before the division",
    "mixed up": "one input or one layer were used in the place of another",
    "axis": "something ran along another axis than it should, or over all axes at once",
    "step order": "two steps stood in the wrong order: the second were made before the first",
    "new axis": "a new axis were missing, or stood at another place",
    "given": "a step started from what was given, not from what the step before has made of it",
    "exchanged": "two inputs, or two parts of the layer, had changed places",
}


def listed(names: Collection[str]) -> str:
    """Up to three names with their verb: "`x` and `y` are"."""
    quoted = [f"`{name}`" for name in names][:3]
    if len(quoted) == 1:
        return f"{quoted[0]} is"
    return f"{', '.join(quoted[:-1])} and {quoted[-1]} are"
