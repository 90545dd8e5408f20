"""A verdict as text and as a card."""

import pytest

from autograder.checking import Verdict
from autograder.notebook.feedback import MIME, Feedback, details, headline

FAILED = Verdict("softmax", 0.0, 2.0, "failed", "The sum is <b>missing</b>.", "got <script>")


@pytest.mark.parametrize(
    ("verdict", "line"),
    [
        (Verdict("softmax", 2.0, 2.0, "passed"), "\N{CHECK MARK} softmax: passed, 2 points"),
        (Verdict("double", 1.0, 1.0, "passed"), "\N{CHECK MARK} double: passed, 1 point"),
        (Verdict("double", 1.5, 1.5, "passed"), "\N{CHECK MARK} double: passed, 1.5 points"),
        (FAILED, "\N{BALLOT X} softmax: failed, 0 of 2 points"),
        (
            Verdict("softmax", 0.0, 2.0, "not started"),
            "\N{WHITE CIRCLE} softmax: not started yet (2 points)",
        ),
        (Verdict("softmax", 0.0, 2.0, "timeout"), "\N{BALLOT X} softmax: timeout, 0 of 2 points"),
    ],
)
def test_the_headline(verdict, line):
    assert headline(verdict) == line
    assert Feedback(verdict).text().splitlines()[0] == line


def test_the_misconception_comes_before_what_was_seen():
    assert details(FAILED) == ["The sum is <b>missing</b>.", "got <script>"]
    assert details(Verdict("double", 1.0, 1.0, "passed", message="All cases hold.")) == []
    assert details(Verdict("double", 0.0, 1.0, "not started", message="x")) == []


def test_what_the_sentence_ends_with_is_not_said_twice():
    told = "double names no type. text: double('x') should name str."
    twice = Verdict("double", 0.0, 1.0, "failed", told, "text: double('x') should name str.")
    assert details(twice) == [told]


def test_the_text_has_what_was_printed():
    assert Feedback(FAILED, "one\ntwo").text().splitlines() == [
        "\N{BALLOT X} softmax: failed, 0 of 2 points",
        "  The sum is <b>missing</b>.",
        "  got <script>",
        "  Your code printed:",
        "    one",
        "    two",
    ]


def test_the_card_escapes_everything():
    card = Feedback(Verdict("<i>", 0.0, 2.0, "failed", "a<b>", "c<script>"), "</pre><img>").html()
    assert "&lt;i&gt;" in card and "a&lt;b&gt;" in card and "c&lt;script&gt;" in card
    assert "&lt;/pre&gt;&lt;img&gt;" in card
    assert not any(tag in card for tag in ("<i>", "<b>", "<script>", "<img>"))
    assert card.count("<div") == card.count("</div>") and card.count("<pre>") == 1


def test_every_front_end_gets_its_form():
    bundle = Feedback(FAILED)._repr_mimebundle_()
    assert set(bundle) == {"text/plain", "text/html", MIME}
    assert bundle[MIME] == FAILED.as_dict()
