"""Small slips of all kinds, tried where no known misconception explains the answers.

What is said is general: the kind of slip, and the names of the contract beside which it was made,
never the reference's own line.
"""

import ast
import functools
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from autograder.diagnosis.clauses import beside, clause, listed
from autograder.diagnosis.explaining import Finding
from autograder.source.entrances import altered
from autograder.source.mutations import Mutant, mutants
from autograder.source.sources import Definition

ROUNDS = 100  # more than any check needs
LEFT_OUT, NOT_USED = "left out", "not used"


@dataclass(frozen=True)
class Slip:
    """Of which kind it is, what makes the words for it, and the texts that have it."""

    kind: str
    words: Callable[[], str]
    texts: dict[str, str]

    @property
    def finding(self) -> Finding:
        """What is to be said of it."""
        return Finding(f"slip.{self.kind.replace(' ', '-')}", self.words)


def slips(
    root: Definition, names: Iterable[str] = (), texts: Mapping[str, str] | None = None
) -> Iterator[Slip]:
    """In the definitions of these names, or first in the exercise itself, then in its parts.

    `texts` are what stands there in the place of the reference's own text.
    """
    for name in names or reversed(root.whole):
        item = root.whole[name]
        code = (texts or {}).get(name, item.code)
        for mutant in mutants(_ending(code), searched=True):
            words = functools.partial(_told, root.name, item, mutant, code)
            yield Slip(mutant.slip, words, {name: mutant.source})


def _told(whole: str, item: Definition, mutant: Mutant, code: str) -> str:
    contract = _contract_names(item)
    if mutant.slip == NOT_USED:
        return _not_used(whole, next(word for word in contract if word in mutant.names))
    words = clause(mutant, contract)
    near = beside(mutant, contract, code)
    them = "it" if len(near) == 1 else "them"
    look = f" Look where {listed(near)} used, or what is made of {them}." if near else ""
    return f"{_as_if(whole, item.name, words)}{look}" if words else ""


def openings(root: Definition, names: Iterable[str]) -> Iterator[Slip]:
    """What may be made of what is given to these, or of their results, before anything else."""
    for name in names:
        for one in altered(root.whole[name].code):
            words = functools.partial(_as_if, root.name, name, one.clause)
            yield Slip(one.kind, words, {name: one.source})


def _as_if(whole: str, name: str, words: str) -> str:
    """What is said of a slip: true of all that answer so, however they are written."""
    inside = "" if name == whole else f" in its part `{name}`"
    return f"{whole} answers just as if{inside} {words}."


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
