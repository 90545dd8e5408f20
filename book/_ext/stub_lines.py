"""The stubs' lines on a phone: contracts flow as prose does, code goes on below where it began.

A contract is a docstring of lines up to 100 letters. Broken at half of that, every second line
would be a short one. So lines that are one sentence become one span, whose breaks a phone treats as
spaces; `_static/custom.css` says from which width on. The text is that of the stub at any width.
"""

import ast
import html
import re
from collections.abc import Iterator

from bs4 import BeautifulSoup

TAG = re.compile(r"<[^>]+>")
ARROW = re.compile(r'<span class="(\w+)">-&gt;</span>')  # no line breaks after its hyphen
OF_ONE_SPAN = re.compile(r'(?P<open> *<span class="\w+">)(?P<text>[^<]*)</span>')
IN_COLUMNS = re.compile(r"\S {2,}\S")
BEGINS = re.compile(r"[A-Z`]")
SHORT = 36  # letters, which fit any phone
FURTHER = {True: 8, False: 4}  # letters that a head, and other code, goes on to the right
HEAD = re.compile(r" *(def|class) ")
LONG_NAME = re.compile(r"\w{20,}")


def indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def contracts(text: str) -> set[int]:
    """The lines of the docstrings, counted from 0."""
    lines = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and ast.get_docstring(node):
            lines |= set(range(node.body[0].lineno - 1, node.body[0].end_lineno))
    return lines


def goes_on(line: str, following: str) -> bool:
    """Whether a contract's line is in the middle of what the following one goes on with."""
    after = following.strip()
    return not (
        not line.strip()
        or not after
        or after.startswith(("- ", '"""'))
        or IN_COLUMNS.search(line)
        or IN_COLUMNS.search(following)
        or (line.endswith(".") and BEGINS.match(after))
    )


def groups(lines: list[str], inside: set[int]) -> Iterator[range]:
    """Lines that are one: of a contract those that go on, of code each."""
    first = 0
    for i in range(1, len(lines) + 1):
        if i == len(lines) or not {i - 1, i} <= inside or not goes_on(lines[i - 1], lines[i]):
            yield range(first, i)
            first = i


def breakable(prose: str) -> str:
    """A contract's text, whose long names may be broken after an underscore."""
    return LONG_NAME.sub(lambda name: name[0].replace("_", "_<wbr>"), prose)


def flowing(code: str) -> str:
    """A stub's highlighted code, its long lines marked for narrow screens."""
    drawn = code.split("\n")
    plain = [html.unescape(TAG.sub("", line)) for line in drawn]
    inside = contracts("\n".join(plain))
    written = []
    for group in groups(plain, inside):
        first, last = plain[group[0]], plain[group[-1]]
        parts = [OF_ONE_SPAN.fullmatch(drawn[i]) for i in group]
        if len(group) == 1 and len(first) <= SHORT or len(group) > 1 and not all(parts):
            written += [f"{drawn[i]}\n" for i in group]
            continue
        if len(group) > 1:
            hang = indent(last)
            opening = f"{' ' * indent(first)}{parts[0]['open'].strip()}"
            words = [parts[0]["text"].lstrip(), *(part["text"] for part in parts[1:])]
            line = (
                opening.removesuffix('">') + ' flowing">' + breakable("\n".join(words)) + "</span>"
            )
        else:
            of_contract = group[0] in inside and not IN_COLUMNS.search(first.strip())
            further = 0 if of_contract else FURTHER[bool(HEAD.match(first))]
            hang = indent(first) + further
            line = ARROW.sub(r'<span class="\1 nobr">-&gt;</span>', drawn[group[0]])
        written.append(f'<span class="long-line" style="--hang: {hang}ch">{line}\n</span>')
    # The stub's last line is an empty one, and so never marked.
    return "".join(written).removesuffix("\n")


def mark(soup: BeautifulSoup, *_: object) -> None:
    for block in soup.select(".exercise-stub pre"):
        code = block.decode_contents().removeprefix("<span></span>")
        # As a whole `pre`: anywhere else the parser makes one blank of several.
        drawn = f"<pre><span></span>{flowing(code)}</pre>"
        block.replace_with(BeautifulSoup(drawn, "html.parser"))
