"""The words of the dates that the course's translators read: names of months and days, and others.

The page tells by them whether a text is a date at all (`_static/translating.js`).
"""

import re
from datetime import date
from functools import cache

from lab.dates import FORMATS, HELD_OUT, LOCALES, fields, write

WORD = re.compile(r"[^\W\d_]+")
MONTH = "m"  # of `fields`


@cache
def date_words() -> dict[str, int]:
    """Each word in small letters, and the number of the month that it names: 0 if it names none."""
    days = [date(2001, month, 1) for month in range(1, 13)]
    days += [date(2001, 1, day) for day in range(2, 8)]  # each day of the week
    counts: dict[str, int] = {}
    for locale in (*LOCALES, HELD_OUT):
        for form in FORMATS:
            for day in days:
                kinds = fields(day, locale, form)
                for word in WORD.finditer(write(day, locale, form)):
                    month = day.month if kinds[word.start()] == MONTH else 0
                    counts[word[0].lower()] = month
    return dict(sorted(counts.items()))
