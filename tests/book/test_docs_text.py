"""The text that chapter 10 learns from, held to the pages that Python itself prints."""

import math
import re
import string
import subprocess
import sys
from pydoc_data.topics import topics

import pytest
import torch
from lab import docs_text
from lab.docs_text import (
    CHARACTERS,
    VOCABULARY,
    decode,
    encode,
    plain,
    repeats,
)


@pytest.fixture(scope="module")
def docs():
    return docs_text.docs_text()


def test_the_two_parts_are_the_text_and_the_last_tenth_is_held_out(docs):
    assert decode(torch.cat([docs.train, docs.held_out])) == docs.text
    assert len(docs.held_out) == math.ceil(len(docs.text) / 10)
    assert docs.train.dtype == docs.held_out.dtype == torch.long


def test_in_a_quick_run_it_is_short_and_of_every_kind(docs, monkeypatch):
    monkeypatch.setenv("ATTENTION_COURSE_QUICK", "1")
    quick = docs_text.docs_text.__wrapped__()  # not the one that is kept
    assert len(quick.train) + len(quick.held_out) < len(docs.text) / 10
    assert len(quick.held_out) == len(quick.repeated)
    assert 0.2 < quick.repeated.float().mean() < 0.8


def test_it_is_as_long_as_its_documentation_says(docs):
    assert 450_000 < len(docs.text) < 650_000


@pytest.mark.exhaustive
def test_another_process_makes_the_same_text(docs):
    code = (
        "import hashlib; from lab.docs_text import docs_text;"
        "print(hashlib.sha256(docs_text().text.encode()).hexdigest())"
    )
    hashes = {
        subprocess.run(
            [sys.executable, "-c", code],
            check=True,
            capture_output=True,
            text=True,
            env={"PYTHONPATH": ":".join(sys.path), "PYTHONHASHSEED": seed},
        ).stdout
        for seed in ("1", "2")
    }
    assert len(hashes) == 1


def test_every_word_of_every_page_is_in_the_text(docs):
    ascii_words = re.compile(r"[A-Za-z_]{3,}")
    found = set(ascii_words.findall(docs.text))
    for name, page in topics.items():
        page = page.encode("ascii", "replace").decode()  # the oracle knows no table of quotes
        missing = set(ascii_words.findall(page)) - found
        assert not missing, name


def test_what_is_not_marked_as_repeated_was_not_seen(docs):
    cut = len(docs.train)
    seen = {" ".join(p.split()) for p in docs.text[:cut].split("\n\n")}
    marked = "".join("R" if mark else "." for mark in docs.repeated.tolist())
    assert len(marked) == len(docs.held_out)
    assert 0.02 < marked.count("R") / len(marked) < 0.5
    place = docs.text.index("\n\n", cut) + 2  # the cut goes through the paragraph before
    for paragraph in docs.text[place:].split("\n\n"):
        words = " ".join(paragraph.split())
        if words:
            first = place + len(paragraph) - len(paragraph.lstrip("\n")) - cut
            assert (marked[first] == "R") == (words in seen), words
        place += len(paragraph) + 2


def test_a_repeat_is_marked_with_the_empty_lines_after_it():
    before, after = "A b.\n\nC\nd.\n\n", "New.\n\n  C d.\n\nA B.\n"
    marks = repeats(before + after, len(before))
    assert "".join(c if mark else "." for c, mark in zip(after, marks.tolist(), strict=True)) == (
        "......  C d.\n\n....."
    )


def test_a_divided_paragraph_is_neither_seen_nor_repeated():
    text = "One.\n\nOne.\n\nTwo.\n\nTwo.\n"
    assert not repeats(text, 2).any()
    assert not repeats(text, 8).any()
    assert repeats(text, 18).tolist() == [True] * 5


def test_the_vocabulary_is_printable_ascii():
    assert set(CHARACTERS) == set(string.printable) - set("\t\r\x0b\x0c")
    assert len(CHARACTERS) == VOCABULARY == 96


def test_tokens_and_text_are_each_others_inverse():
    assert decode(encode(CHARACTERS)) == CHARACTERS
    assert encode(CHARACTERS).tolist() == list(range(VOCABULARY))
    assert encode("").shape == (0,) and encode("").dtype == torch.long
    assert decode(encode("a b")) == "a b"


@pytest.mark.parametrize(
    ("given", "wanted"),
    [("“it’s”", '"it\'s"'), ("a – b — c…", "a - b - c..."), ("ß\t°", "???"), ("x\n", "x\n")],
)
def test_plain_text_is_all_in_the_vocabulary(given, wanted):
    assert plain(given) == wanted
    assert set(wanted) <= set(CHARACTERS)


def test_a_character_outside_the_vocabulary_is_refused_by_name():
    with pytest.raises(ValueError, match=r"encode: 'é' is not in the vocabulary; use plain"):
        encode("café")
