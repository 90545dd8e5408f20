"""What the page needs to train a model: one script for each task, loaded when a reader begins.

It hands over the text of a worker (jax-js and `_training/learning.js`), which a page on a disk may
not load as a file, and what the model learns from: chapter 5's sentences, as numbers.
"""

import json
from pathlib import Path

from lab import words

PARTS = (Path("_training", "jax.js"), Path("_training", "learning.js"))
SHOWN = ("the river bank was [gap]", "the money bank was [gap]")


def sentences() -> dict:
    """The language of chapter 5: each sentence's words, its noun, its company and its meaning."""
    vocabulary = words.vocabulary()
    senses = [(noun, topic) for noun, topics in words.SENSES.items() for topic in topics]

    def numbered(sentence: words.Sentence) -> dict:
        meaning = sentence.noun, sentence.topic
        return {
            "tokens": [vocabulary.index(word) for word in sentence.words],
            "noun": sentence.place,
            "company": sentence.company,
        } | ({"sense": senses.index(meaning)} if meaning in senses else {})

    training, held_out = (
        [numbered(sentence) for sentence in words.sentences(split)] for split in ("train", "test")
    )
    shown = [
        {"tokens": [vocabulary.index(word) for word in text.split()], "noun": 2} for text in SHOWN
    ]
    return {
        "vocabulary": vocabulary,
        "length": max(len(sentence["tokens"]) for sentence in training + held_out),
        "senses": len(senses),
        "training": training,
        "heldOut": held_out,
        "shown": shown,
    }


TASKS = {"copying": dict, "sentences": sentences}  # what each hands over beside the worker


def script(book: Path, task: str) -> str:
    """The script that hands this over, from what stands in the book's folder."""
    worker = "\n".join((book / part).read_text(encoding="utf-8") for part in PARTS)
    what = json.dumps({"worker": worker, "data": TASKS[task]()}, separators=(",", ":"))
    return f"attention.models.{task} = {what};\n"
