"""A small made-up language for chapter 5: four words with two meanings each, in plain sentences.

Every sentence is about one of eight topics and has a noun, which stands in its topic's company:
its things, adjectives and verbs. Four nouns belong to two topics each: bank, bat, spring, date.
Sentence frames are the same for all nouns, so that only the company tells the topics apart. (Not
every sentence makes sense, then: nobody goes to a bat to hit balls.)

The company of each topic has two halves. In training, a word with two meanings meets the first
half only; the test sentences hold it beside the second half only. Words with one meaning meet
both. So a test sentence asks about a word in company that it has never been seen in.
"""

from dataclasses import dataclass
from itertools import product

import torch
from torch import Tensor

SENSES = {
    "bank": ("river", "money"),
    "bat": ("animal", "sport"),
    "spring": ("season", "machine"),
    "date": ("fruit", "calendar"),
}
PAD, GAP = "[pad]", "[gap]"


@dataclass(frozen=True)
class Topic:
    """The words of a topic; in each list of company the first half is the half for training."""

    nouns: str
    things: str
    adjectives: str
    actions: str


TOPICS = {
    "river": Topic(
        "shore pier",
        "stream pond canal lake river water",
        "muddy grassy wet steep dirty sandy",
        "feed-ducks fly-kites catch-fish wash-clothes",
    ),
    "money": Topic(
        "broker cashier",
        "loan credit savings cash money city",
        "rich busy closed greedy honest crowded",
        "change-coins pay-taxes deposit-money borrow-cash",
    ),
    "animal": Topic(
        "owl mouse",
        "cave forest night barn wing nest",
        "hungry furry sleepy blind tiny shy",
        "leave-caves eat-seeds hunt-insects drink-milk",
    ),
    "sport": Topic(
        "racket glove",
        "baseball team league player match ball",
        "wooden heavy cracked swift signed padded",
        "win-games score-points hit-balls beat-rivals",
    ),
    "season": Topic(
        "summer autumn",
        "april rain sun weather blossom garden",
        "warm mild rainy sunny late cold",
        "grow-roses sow-seed plant-flowers pick-tulips",
    ),
    "machine": Topic(
        "screw bolt",
        "steel watch door engine metal sofa",
        "rusty coiled bent oily stiff loose",
        "close-doors turn-wheels lift-lids move-levers",
    ),
    "fruit": Topic(
        "fig plum",
        "palm desert market oasis honey cake",
        "sweet sticky ripe dried fresh brown",
        "bake-cakes make-jam fill-pies sell-fruit",
    ),
    "calendar": Topic(
        "day deadline",
        "birthday wedding school exam travel meeting",
        "official final early fixed secret distant",
        "sign-papers book-rooms start-courses plan-trips",
    ),
}


@dataclass(frozen=True)
class Sentence:
    """A sentence, where its noun is, what it is about, and where the words are that tell."""

    words: tuple[str, ...]
    place: int
    topic: str
    company: tuple[int, ...]

    @property
    def noun(self) -> str:
        return self.words[self.place]

    def __str__(self) -> str:
        return " ".join(self.words)


def _sentences(noun: str, topic: str, half: int | None) -> list[Sentence]:
    def company(words: str) -> list[str]:
        both = words.split()
        middle = len(both) // 2
        return both if half is None else (both[:middle], both[middle:])[half]

    things, adjectives = company(TOPICS[topic].things), company(TOPICS[topic].adjectives)
    actions = [action.split("-") for action in company(TOPICS[topic].actions)]
    sentences = []
    for thing, adjective in product(things, adjectives):
        sentences.append((f"the {thing} {noun} was {adjective}", (1, 4)))
        sentences.append((f"we saw the {adjective} {noun} and the {thing}", (3, 7)))
        sentences.append((f"the {noun} with the {thing} is {adjective}", (4, 6)))
    for verb, what in actions:
        sentences.append((f"I went to the {noun} to {verb} {what}", (6, 7)))
        sentences.append((f"they use the {noun} to {verb} {what}", (5, 6)))
        sentences.append((f"you took the {noun} to {verb} {what}", (5, 6)))
        sentences.append((f"we know the {noun} and {verb} {what}", (5, 6)))
    result = []
    for text, places in sentences:
        words = tuple(text.split())
        result.append(Sentence(words, words.index(noun), topic, places))
    return result


def sentences(split: str) -> list[Sentence]:
    """All sentences of a split, "train" or "test", in a fixed order.

    The test split has sentences with the four words of two meanings only. No word of a test
    sentence's company stands beside its noun in training; every one of them does beside others.
    Raises ValueError for another split.
    """
    if split not in ("train", "test"):
        raise ValueError(f'sentences: split is {split!r}; it should be "train" or "test"')
    sentences = []
    for noun, topics in SENSES.items():
        for topic in topics:
            sentences += _sentences(noun, topic, 0 if split == "train" else 1)
    if split == "train":
        for name, words in TOPICS.items():
            for noun in words.nouns.split():
                sentences += _sentences(noun, name, None)
    return sentences


def vocabulary() -> list[str]:
    """All words, sorted, after the two that are none: padding (number 0) and the gap (number 1)."""
    words = {word for split in ("train", "test") for s in sentences(split) for word in s.words}
    return [PAD, GAP, *sorted(words)]


def encode(chosen: list[Sentence], words: list[str]) -> Tensor:
    """Sentences as numbers (N, L): places in `words`, filled up to the longest with 0, padding."""
    number = {word: i for i, word in enumerate(words)}
    length = max(len(sentence.words) for sentence in chosen)
    tokens = torch.zeros(len(chosen), length, dtype=torch.long)  # (N, L)
    for row, sentence in zip(tokens, chosen, strict=True):
        row[: len(sentence.words)] = torch.tensor([number[word] for word in sentence.words])
    return tokens
