"""Small slips of all kinds, tried where no known misconception explains the answers.

What is said is general: the kind of slip, and the names of the contract beside which it was made,
never the reference's own line.
"""

import ast
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from autograder.source.mutations import Mutant, mutants
from autograder.source.sources import Definition

ROUNDS = 1000
LEFT_OUT, NOT_USED = "left out", "not used"

KINDS = {
    "operation": "two numbers are combined by another operation than they should be (a sum, a "
    "difference, a product or a quotient of them)",
    "order": "two things are exchanged: the sides of an operation, arguments, or results",
    "comparison": "a comparison goes the other way, or treats the limit itself otherwise",
    "condition": "a condition or a mask is taken the other way around, or a part of it is missing",
    "number": "a number is off: a size, an axis, an index or a constant is another one than it "
    "should be, perhaps by one",
    "exponent": "the exponent of a power has the other sign, which is the same as to multiply by "
    "the power where it should be divided by it, or the other way around",
    "sign": "a sign is missing, or one too many",
    "function": "one function stands in the place of its neighbor, as min for max or mean for sum",
    "option": "an option of a function is missing, such as the axis along which it works",
    "error": "the error that is raised is of another type than it should be",
    LEFT_OUT: "a step or a factor is left out",
    "cut off": "the result is cut off from an input, so that no gradient gets there",
    "precision": "the numbers pass through float32 on their way, where float64 should stay float64",
    "not handed on": "an argument is not handed on to what needs it",
    "loop": "a loop leaves out the first or the last of what it should run over, or goes backward",
    "whole number": "a root is cut to a whole number",
    "half": "something is divided by two in the place of its root: `x ** 1 / 2` is half of x, as "
    "the power comes before the division",
    "mixed up": "one input or one layer is used in the place of another",
    "axis": "something runs along another axis than it should, or over all axes at once",
    "step order": "two steps stand in the wrong order: the second is made before the first",
    "new axis": "a new axis is missing, or stands at another place",
    "given": "a step starts from what was given, not from what the step before it has made",
    "exchanged": "two inputs, or two parts of the layer, have changed places",
}


@dataclass(frozen=True)
class Slip:
    """Of which kind it is, what is to be said of it, and the texts that have it."""

    kind: str
    sentence: str
    texts: dict[str, str]


def slips(
    root: Definition, names: Iterable[str] = (), texts: Mapping[str, str] | None = None
) -> Iterator[Slip]:
    """In the definitions of these names, or first in the exercise itself, then in its parts.

    `texts` are what stands there in the place of the reference's own text.
    """
    for name in names or reversed(root.whole):
        item = root.whole[name]
        contract = _contract_names(item)
        code = (texts or {}).get(name, item.code)
        for mutant in mutants(_ending(code), searched=True):
            inside = "" if name == root.name else f", in its part {name}"
            near = [word for word in contract if word in mutant.names]
            where = f" Look where {_listed(near)} used." if near else ""
            if mutant.slip == NOT_USED:
                yield Slip(mutant.slip, _not_used(root.name, near[0]), {name: mutant.source})
                continue
            sentence = (
                f"This is none of the mistakes that are known by name, but a small slip gives just "
                f"these answers: {_in_words(mutant, contract)}{inside}.{where}"
            )
            yield Slip(mutant.slip, sentence, {name: mutant.source})


def _in_words(mutant: Mutant, contract: Sequence[str]) -> str:
    """The kind of slip; with the names, where both are the contract's or torch's own functions."""
    old, new = mutant.words
    if mutant.slip == "mixed up" and {old, new} <= set(contract):
        return f"`{new}` is used where `{old}` should be"
    if mutant.slip == "function" and old.isidentifier() and new.isidentifier():
        return f"`{new}` stands in the place of `{old}`"
    if mutant.slip == "not handed on" and (
        named := [one for one in contract if one in old.split()]
    ):
        return f"`{named[0]}` is not handed on to what needs it"
    if mutant.slip == "axis" and "dim" in contract and "dim" in old.split():
        return "`dim` is not used by one of the steps, which runs along another axis"
    return KINDS[mutant.slip]


def _not_used(name: str, argument: str) -> str:
    return (
        f"`{argument}` is not used: {name} answers as if it had been left out, whatever is given "
        "for it."
    )


class _Ending(ast.NodeTransformer):
    """Makes `while` end at some time, whatever is changed around it."""

    def visit_While(self, node: ast.While) -> ast.For:
        self.generic_visit(node)
        stop = ast.If(ast.UnaryOp(ast.Not(), node.test), [ast.Break()], [])
        rounds = ast.parse(f"range({ROUNDS})", mode="eval").body
        return ast.For(ast.Name("_", ast.Store()), rounds, [stop, *node.body], [])


def _ending(code: str) -> str:
    if "while " not in code:
        return code
    return ast.unparse(ast.fix_missing_locations(_Ending().visit(ast.parse(code))))


def _contract_names(item: Definition) -> list[str]:
    """The names that a learner reads in the contract: the arguments, and what it sets in code."""
    quoted = re.findall(r"`(\w+)`", item.docstring)
    return list(dict.fromkeys([*item.signature, *item.method("forward"), *quoted]))


def _listed(names: list[str]) -> str:
    quoted = [f"`{name}`" for name in names[:3]]
    if len(quoted) == 1:
        return f"{quoted[0]} is"
    return f"{', '.join(quoted[:-1])} and {quoted[-1]} are"
