"""Tables for spreadsheets: quoted, and with nothing in them that a spreadsheet would run."""

import csv
from collections.abc import Iterable
from pathlib import Path
from typing import Any

_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")
NOTHING = "-"  # is no formula


def inert(value: Any) -> Any:
    """The value as a cell shows it; text that a spreadsheet would take for a formula is quoted.

    A name that begins with = + - or @ gets an apostrophe in front, which spreadsheets take as
    "this is text". Numbers stay numbers.
    """
    if isinstance(value, str):
        value = value.replace("\0", "")
        formula = value != NOTHING and value.lstrip(" ").startswith(_FORMULA)
        return f"'{value}" if formula else value
    if isinstance(value, float):
        return f"{value:.10g}"
    return "" if value is None else value


def write_table(path: Path, rows: Iterable[Iterable[Any]]) -> None:
    """Write rows as CSV (RFC 4180, UTF-8)."""
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([inert(cell) for cell in row] for row in rows)
