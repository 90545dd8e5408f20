"""The written-dates task, held to Babel's own writing and to what its module promises."""

import re
from datetime import date, datetime

import pytest
import torch
from babel.dates import format_date
from lab import dates

ALL = (*dates.LOCALES, dates.HELD_OUT)


def draw(seed: int, count: int = 200, number: int = 2, **kwargs) -> list[dates.Example]:
    generator = torch.Generator().manual_seed(seed)
    return dates.examples("train", count, number, generator, **kwargs)


@pytest.mark.parametrize("locale", ALL)
def test_dates_are_written_as_babel_writes_them(locale):
    days = dates.days("train")[:60] + dates.days("test")[:20]
    for day in days:
        for form in dates.FORMATS:
            wanted = re.sub(r"\s", " ", format_date(day, form, locale=locale))
            assert dates.write(day, locale, form) == wanted


def test_known_dates():
    day, other = date(2002, 12, 10), date(1967, 4, 9)
    one = dates.example([day, other], ["fr", "nl"], ["medium", "long"])
    assert (one.source, one.target) == ("10 déc. 2002; 9 april 1967", "021210/670409")
    assert dates.write(day, "en", "full") == "Tuesday, December 10, 2002"
    assert dates.fields(day, "en", "full") == "wwwwwww--mmmmmmmm-dd--yyyy"


@pytest.mark.parametrize("locale", ALL)
@pytest.mark.parametrize("form", dates.FORMATS)
def test_fields_name_the_characters_of_year_and_day(locale, form):
    for day in dates.days("test")[:20]:
        text, fields = dates.write(day, locale, form), dates.fields(day, locale, form)
        assert len(text) == len(fields) and set(fields) <= set("ymdw-")
        found = {letter: "".join(c for c, f in zip(text, fields, strict=True) if f == letter)
                 for letter in "ymd"}  # fmt: skip
        assert int(found["y"]) == day.year and int(found["d"]) == day.day and found["m"]


def test_targets_read_back_as_the_days():
    for one in draw(0, number=3):
        read = [datetime.strptime(part, "%y%m%d").date() for part in one.target.split("/")]
        # Python reads 69 to 99 as 19.., so only what is left of the century is compared.
        assert [(day.year % 100, day.month, day.day) for day in read] == [
            (day.year % 100, day.month, day.day) for day in one.days
        ]


def test_every_day_has_digits_of_its_own():
    days = [day for split in ("train", "validation", "test") for day in dates.days(split)]
    assert len({dates.digits(day) for day in days}) == len(days)


def test_splits_have_the_documented_sizes_and_share_no_day():
    parts = {split: set(dates.days(split)) for split in ("train", "validation", "test")}
    assert {split: len(days) for split, days in parts.items()} == {
        "train": 29_221, "validation": 3_652, "test": 3_652
    }  # fmt: skip
    assert len(set.union(*parts.values())) == 36_525 == (dates.LAST - dates.FIRST).days + 1
    with pytest.raises(ValueError, match="split is 'dev'"):
        dates.days("dev")


def test_examples_keep_to_their_split_and_never_use_the_held_out_language():
    one_each = {day for one in draw(1, 500) for day in one.days}
    assert one_each <= set(dates.days("train"))
    used = {locale for one in draw(2, 1000) for locale in one.locales}
    assert used == set(dates.LOCALES) and dates.HELD_OUT not in used and len(used) >= 12
    asked = draw(3, 20, locales=[dates.HELD_OUT])
    assert {locale for one in asked for locale in one.locales} == {dates.HELD_OUT}


def test_formats_have_their_shares():
    forms = [form for one in draw(4, 3000) for form in one.formats]
    for form, share in dates.FORMATS.items():
        assert forms.count(form) / len(forms) == pytest.approx(share, abs=0.025)


def test_a_quick_run_draws_300_at_most(monkeypatch):
    """As few as chapter 11's maps of 300 strings need."""
    monkeypatch.setenv("ATTENTION_COURSE_QUICK", "1")
    assert len(draw(7, count=1000)) == 300
    assert len(draw(7, count=20)) == 20


def test_the_same_seed_gives_the_same_examples():
    assert draw(5) == draw(5)
    assert draw(5) != draw(6)


def test_all_characters_are_in_the_vocabulary():
    known = set(dates.source_vocabulary().characters)
    for locale in ALL:
        assert set("".join(one.source for one in draw(7, 500, locales=[locale]))) <= known
    assert len(dates.target_vocabulary()) == 11 + 3


def test_chapter_3_may_ask_for_croatian_although_it_is_not_in_the_task():
    assert "hr" not in ALL
    dates.collate(draw(11, 500, locales=["hr"]))


def test_vocabularies_write_and_read():
    vocabulary = dates.target_vocabulary()
    tokens = vocabulary.encode("021210/670409")
    assert vocabulary.decode(torch.tensor([*tokens, dates.EOS, dates.EOS])) == "021210/670409$"
    assert vocabulary.decode([dates.BOS, *tokens, dates.PAD]) == "021210/670409"
    assert not {dates.PAD, dates.BOS, dates.EOS} & set(tokens)
    with pytest.raises(ValueError, match="'x'"):
        vocabulary.encode("02x")


def test_a_batch_holds_each_example_then_padding():
    chosen = draw(8, 5, 1) + draw(9, 5, 4)
    batch = dates.collate(chosen)
    assert batch.source.dtype == batch.target.dtype == batch.lengths.dtype == torch.int64
    assert batch.source.shape == (10, max(len(one.source) for one in chosen))
    assert batch.target.shape == batch.previous.shape == (10, 4 * 6 + 3 + 1)
    for row, one in enumerate(chosen):
        n, m = len(one.source), len(one.target)
        assert batch.lengths[row] == n == batch.mask[row].sum()
        assert dates.source_vocabulary().decode(batch.source[row]) == one.source
        assert dates.target_vocabulary().decode(batch.target[row]) == one.target + "$"
        assert batch.previous[row, 0] == dates.BOS
        assert batch.previous[row, 1 : m + 1].equal(batch.target[row, :m])
        assert not batch.source[row, n:].any() and not batch.target[row, m + 1 :].any()


def test_documented_lengths():
    lengths = [
        len(dates.write(day, locale, form))
        for day in dates.days("test")[:400]
        for locale in ALL
        for form in dates.FORMATS
    ]
    assert min(lengths) >= 8 and max(lengths) <= 39
    average = sum(len(one.source) for one in draw(10, 4000, 1)) / 4000
    assert average == pytest.approx(15, abs=0.5)
