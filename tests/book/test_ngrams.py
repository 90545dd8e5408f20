"""The counting baseline against a slow one, against entropy, and against a sum over all tokens."""

import math
from collections import Counter, defaultdict

import pytest
import torch
from lab.docs_text import encode
from lab.ngrams import ngram_bits


def slow(train: list[int], context: list[int], token: int, vocabulary: int) -> float:
    """Witten and Bell's method C, by a loop over the text for each context."""
    likely = 1 / vocabulary
    for order in range(len(context) + 1):
        ending = context[len(context) - order :]
        after = Counter(
            train[i + order] for i in range(len(train) - order) if train[i : i + order] == ending
        )
        if after:
            kinds, total = len(after), sum(after.values())
            likely = (after[token] + kinds * likely) / (total + kinds)
    return likely


@pytest.mark.parametrize("longest", [0, 1, 3])
def test_equals_counting_in_a_loop(longest):
    random = torch.Generator().manual_seed(0)
    train, held_out = (torch.randint(4, (size,), generator=random) for size in (60, 20))
    bits = ngram_bits(train, held_out, longest, 5)
    assert bits.shape == (longest + 1, 20 - longest)
    for order, row in enumerate(bits):
        for place, surprise in enumerate(row.tolist(), start=longest):
            context = held_out[place - order : place].tolist()
            likely = slow(train.tolist(), context, int(held_out[place]), 5)
            assert surprise == pytest.approx(-math.log2(likely))


def test_the_chances_of_all_characters_sum_to_one():
    train = encode("the cat sat on the mat and the rat sat on the hat")
    chances = defaultdict(float)
    for token in range(96):
        bits = ngram_bits(train, torch.cat([encode("the "), torch.tensor([token])]), 4, 96)
        for order, row in enumerate(bits):
            chances[order] += float(2 ** -row[0])
    assert list(chances.values()) == pytest.approx([1.0] * 5)


def test_says_where_contexts_are_too_long_to_number():
    with pytest.raises(ValueError, match="96 tokens with 9 before them"):
        ngram_bits(encode("a"), encode("b"), 9, 96)
