"""Text that others wrote, made fit to be shown: nothing hidden, nothing that moves the line."""

import re
from collections.abc import Iterable

# Control characters, those that reorder text, line ends that are none, and halves of characters:
# they could make a page say another thing, or cannot be written at all.
_UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069"
    "\ud800-\udfff]"
)
_HALVES = re.compile("[\ud800-\udfff]")
LINE_AT_MOST = 600


def visible(text: str) -> str:
    """The text without characters that a reader cannot see; they are shown by their code."""
    return _UNSEEN.sub(lambda found: f"\\u{ord(found.group()):04x}", text)


def one_line(text: str, at_most: int = LINE_AT_MOST) -> str:
    """The text as a single visible line, cut off where it is longer than a reader would read."""
    line = visible(" ".join(text[: 4 * at_most].split()))
    return line if len(line) <= at_most else line[: at_most - 4] + " ..."


def listed(names: Iterable[str], at_most: int) -> str:
    """`ada, bob and 3 more`; each name once."""
    different = list(dict.fromkeys(names))
    more = len(different) - at_most
    return ", ".join(different[:at_most]) + (f" and {more} more" if more > 0 else "")


def said_by_submission(text: str) -> str:
    """A sentence from the submission's process as a quotation, which it cannot end by itself."""
    return f'The submission says: "{one_line(text).replace(chr(34), chr(39))}"' if text else ""


def whole_characters(text: str) -> str:
    """The text with a replacement character for every half of one, which no file can hold."""
    return _HALVES.sub("\N{REPLACEMENT CHARACTER}", text)
