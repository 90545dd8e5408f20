"""Written dates in many languages to digits: the task of chapters 3 and 11.

    "10 déc. 2002; 9 april 1967"  ->  "021210/670409$"

A source is one to five dates one after another, each in a language and a format of its own, as
Babel writes it from the Unicode consortium's locale data (CLDR). A target is six digits a date,
year, month, day, with a slash between two dates and an end sign, shown as `$`. Both are read and
written character by character.

Sizes: 36,525 days (1950 to 2049, so that two digits name a year), of which 29,221 are for
training, 3,652 for validation and 3,652 for testing; 16 languages, and a 17th (`HELD_OUT`) that
no split uses unless asked to; 3 formats. With Babel 2.18 a date is 8 to 39 characters long, 15
on average.
"""

import os
import random
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cache

import torch
from babel import Locale
from babel.dates import DateTimeFormat
from torch import Tensor

from lab.training import QUICK

LOCALES = (
    *("cs", "de", "el", "en", "es", "fi", "fr", "hu"),
    *("it", "lt", "nl", "pl", "pt", "ru", "sv", "tr"),
)
HELD_OUT = "ro"
FORMATS = {"medium": 0.5, "long": 0.4, "full": 0.1}  # each with its share of the dates
FIRST, LAST = date(1950, 1, 1), date(2049, 12, 31)
PAD, BOS, EOS = 0, 1, 2
SPLIT_SEED = 2015


class Vocabulary:
    """Characters and their numbers. 0, 1 and 2 are padding, the start sign and the end sign."""

    def __init__(self, characters: Iterable[str]) -> None:
        self.characters = sorted(set(characters))
        self.ids = {character: i for i, character in enumerate(self.characters, start=EOS + 1)}

    def __len__(self) -> int:
        return len(self.characters) + EOS + 1

    def encode(self, text: str) -> list[int]:
        """The numbers of a text's characters. Raises ValueError at one that is not known."""
        unknown = sorted(set(text) - self.ids.keys())
        if unknown:
            raise ValueError(f"encode: {text!r} has characters that no date has: {unknown}")
        return [self.ids[character] for character in text]

    def decode(self, tokens: Tensor | Sequence[int]) -> str:
        """The text of a row of tokens: up to the end sign, which is shown as `$`."""
        text = ""
        for token in tokens.tolist() if isinstance(tokens, Tensor) else tokens:
            if token == EOS:
                return text + "$"
            text += "" if token in (PAD, BOS) else self.characters[token - EOS - 1]
        return text


@dataclass(frozen=True)
class Example:
    """One string of dates: its source, its target without the end sign, and what it is made of."""

    source: str
    target: str
    days: tuple[date, ...]
    locales: tuple[str, ...]
    formats: tuple[str, ...]


@dataclass(frozen=True)
class Batch:
    """Examples as tensors: source (B, S), lengths (B), target (B, L) with end signs, then padding.

    `mask` (B, S) is True at characters and False at padding; `previous` (B, L) is what a decoder
    is given at each step: the start sign, then the target moved by one.
    """

    source: Tensor
    lengths: Tensor
    target: Tensor

    @property
    def mask(self) -> Tensor:
        return self.source != PAD

    @property
    def previous(self) -> Tensor:
        start = torch.full_like(self.target[:, :1], BOS)
        return torch.cat([start, self.target[:, :-1]], dim=1)


def write(day: date, locale: str, form: str) -> str:
    """A date as a language writes it: what Babel's `format_date` gives, with plain spaces."""
    text = ""
    for literal, field in _pattern(locale, form):
        text += literal + (_field(locale, field, _part(day, field)) if field else "")
    return text


def fields(day: date, locale: str, form: str) -> str:
    """What each character of `write(day, locale, form)` belongs to, one letter a character.

    `y` year, `m` month, `d` day, `w` day of the week, `-` what stands between them.
    """
    text = ""
    for literal, field in _pattern(locale, form):
        text += "-" * len(literal)
        if field:
            letter = {"y": "y", "M": "m", "L": "m", "d": "d"}.get(field[0], "w")
            text += letter * len(_field(locale, field, _part(day, field)))
    return text


def digits(day: date) -> str:
    """The six digits of a day: year, month, day."""
    return day.strftime("%y%m%d")


@cache
def days(split: str) -> tuple[date, ...]:
    """The days of "train", "validation" or "test": no day is in two of them."""
    count = (LAST - FIRST).days + 1
    everything = [FIRST + timedelta(days=i) for i in range(count)]
    random.Random(SPLIT_SEED).shuffle(everything)
    tenth = count // 10
    parts = {
        "test": everything[:tenth],
        "validation": everything[tenth : 2 * tenth],
        "train": everything[2 * tenth :],
    }
    if split not in parts:
        raise ValueError(f"days: split is {split!r}; there are train, validation and test")
    return tuple(parts[split])


def example(
    days: Sequence[date], locales: Sequence[str], formats: Sequence[str] | None = None
) -> Example:
    """The string of the given dates, each in its language and format (without formats: medium)."""
    formats = formats or ["medium"] * len(days)
    parts = list(zip(days, locales, formats, strict=True))
    source = "; ".join(write(*part) for part in parts)
    target = "/".join(digits(day) for day in days)
    return Example(source, target, tuple(days), tuple(locales), tuple(formats))


def examples(
    split: str,
    count: int,
    dates: int,
    generator: torch.Generator,
    locales: Sequence[str] = LOCALES,
) -> list[Example]:
    """Draw strings of `dates` dates each, with days of one split.

    Day, language and format of every date are drawn on their own: days and languages evenly, the
    formats by their shares in `FORMATS`. The same generator state gives the same examples.
    `locales` may name languages that are not in `LOCALES`, as long as their characters are known.
    With the environment variable ATTENTION_COURSE_QUICK set, no more than 300 are drawn.
    """
    if os.environ.get(QUICK):
        count = min(count, 300)
    pool = days(split)
    shape = (count, dates)
    day = torch.randint(len(pool), shape, generator=generator).tolist()
    locale = torch.randint(len(locales), shape, generator=generator).tolist()
    shares = torch.tensor(list(FORMATS.values()))
    form = torch.multinomial(shares, count * dates, replacement=True, generator=generator)
    form, names = form.view(shape).tolist(), list(FORMATS)
    return [
        example([pool[i] for i in a], [locales[i] for i in b], [names[i] for i in c])
        for a, b, c in zip(day, locale, form, strict=True)
    ]


def collate(examples: Sequence[Example]) -> Batch:
    """Examples as a batch of tensors, int64, filled up with padding."""
    sources = [source_vocabulary().encode(one.source) for one in examples]
    targets = [[*target_vocabulary().encode(one.target), EOS] for one in examples]
    return Batch(_padded(sources), torch.tensor([len(row) for row in sources]), _padded(targets))


@cache
def source_vocabulary() -> Vocabulary:
    """All characters of all dates in all languages, the held-out one too."""
    months = [date(2001, month, 1) for month in range(1, 13)]
    weekdays = [date(2001, 1, day) for day in range(1, 8)]
    written = [
        write(day, locale, form)
        for day in months + weekdays
        for locale in (*LOCALES, HELD_OUT)
        for form in FORMATS
    ]
    return Vocabulary("0123456789; " + "".join(written))


@cache
def target_vocabulary() -> Vocabulary:
    """Ten digits and the slash."""
    return Vocabulary("0123456789/")


def _padded(rows: list[list[int]]) -> Tensor:
    longest = max(len(row) for row in rows)
    return torch.tensor([row + [PAD] * (longest - len(row)) for row in rows])


# Babel takes about 50 microseconds a date. A date is a pattern with three or four fields, and the
# fields have few values, so each value is asked for once.


@cache
def _pattern(locale: str, form: str) -> list[tuple[str, str | None]]:
    """Literal texts, each followed by a field's name, or by None at the end."""
    pieces = re.split(r"%\((\w+)\)s", _plain(Locale.parse(locale).date_formats[form].format))
    return list(zip(pieces[::2], [*pieces[1::2], None], strict=True))


def _part(day: date, field: str) -> int:
    """The part of the day that a field depends on."""
    if field[0] == "y":
        return day.year
    if field[0] in "ML":
        return day.month
    if field[0] == "d":
        return day.day
    if field[0] in "Ec":
        return day.weekday()
    raise ValueError(f"dates: no part of a date is known for the field {field!r}")


@cache
def _field(locale: str, field: str, part: int) -> str:
    """How a locale writes a year, month, day or day of the week."""
    day = date(2001, 1, 1)  # a Monday
    if field[0] == "y":
        day = day.replace(year=part)
    elif field[0] in "ML":
        day = day.replace(month=part)
    elif field[0] == "d":
        day = day.replace(day=part)
    else:
        day += timedelta(days=part)
    return _plain(DateTimeFormat(day, Locale.parse(locale))[field])


def _plain(text: str) -> str:
    """All kinds of spaces as the ordinary one."""
    return re.sub(r"\s", " ", text)
