"""Tables for spreadsheets: quoted, and with nothing in them that a spreadsheet would run."""

import csv
import unicodedata
from collections.abc import Iterable
from pathlib import Path
from typing import Any

_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")
_UNSEEN = ("Zs", "Cf", "Cc")  # Unicode's spaces, marks that take no room, control characters
NOTHING = "-"  # is no formula


def inert(value: Any) -> Any:
    """The value as a cell shows it; text that a spreadsheet would take for a formula is quoted.

    A name that begins with = + - or @ gets an apostrophe in front, which spreadsheets take as
    "this is text". Numbers stay numbers.
    """
    if isinstance(value, str):
        # Where the comma is for decimals, spreadsheets take a semicolon for the next cell.
        return ";".join(map(_as_text, value.replace("\0", "").split(";")))
    if isinstance(value, float):
        return f"{value:.10g}"
    return "" if value is None else value


def _as_text(text: str) -> str:
    # Some spreadsheets take a full-width sign for the sign itself, and pass over what is not seen.
    plain = unicodedata.normalize("NFKC", text)
    seen = (one for one in plain if one in _FORMULA or unicodedata.category(one) not in _UNSEEN)
    return f"'{text}" if text != NOTHING and next(seen, "") in _FORMULA else text


def write_table(path: Path, rows: Iterable[Iterable[Any]]) -> None:
    """Write rows as CSV (RFC 4180, UTF-8)."""
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([inert(cell) for cell in row] for row in rows)
