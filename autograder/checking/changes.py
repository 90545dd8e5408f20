"""Changes of code, compared word by word: how it is set does not count."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

_WORDS = re.compile(
    r"""
    (?P<layout> \s+ | \#[^\n]* | \\\n)
    | [rbfuRBFU]{0,2} (?: \"{3}[\s\S]*?\"{3} | '{3}[\s\S]*?'{3}
                        | "(?:\\.|[^"\\\n])*" | '(?:\\.|[^'\\\n])*' )
    | (?: \d[\d_]*(?:\.[\d_]*)? | \.\d[\d_]* ) (?: [eE][+-]?\d+ )?
    | \w+
    | \*\*= | //= | >>= | <<= | \.\.\. | [-+*/%@&|^=!<>:]= | -> | \*\* | // | << | >>
    | [\s\S]
    """,
    re.VERBOSE,
)


class StaleMistake(ValueError):
    """What a mistake changes is not in the code, or is there more than once."""


@dataclass(frozen=True)
class Change:
    """Another text for one place in the code of a definition."""

    where: str  # the definition's name
    start: int
    end: int
    text: str

    def overlaps(self, other: "Change") -> bool:
        """Whether the two cannot both be made."""
        return self.where == other.where and self.start < other.end and other.start < self.end


def changes_of(code: str, wanted: Mapping[str, str], where: str) -> tuple[Change, ...]:
    """What stands in the code -> what is written instead, as changes. Raises StaleMistake."""
    return tuple(_change(code, old, new, where) for old, new in wanted.items())


def applied(code: str, changes: Iterable[Change]) -> str:
    """The code with changes that do not overlap."""
    for change in sorted(changes, key=lambda one: one.start, reverse=True):
        code = code[: change.start] + change.text + code[change.end :]
    return code


def _change(code: str, old: str, new: str, where: str) -> Change:
    have, want = _words(code), [word for word, _, _ in _words(old)]
    found = [
        (have[i][1], have[i + len(want) - 1][2])
        for i in range(len(have) - len(want) + 1)
        if want and [word for word, _, _ in have[i : i + len(want)]] == want
    ]
    if len(found) != 1:
        raise StaleMistake(f"{old!r} stands {len(found)} times in {where}, wanted once.")
    start, end = found[0]
    line = code[code.rfind("\n", 0, start) + 1 : start]
    indent = line[: len(line) - len(line.lstrip())]
    return Change(where, start, end, new.replace("\n", "\n" + indent))


def _words(code: str) -> list[tuple[str, int, int]]:
    """Each word with where it begins and ends."""
    return [
        (found.group(), found.start(), found.end())
        for found in _WORDS.finditer(code)
        if found.group("layout") is None
    ]
