"""Chapter 10's experiment: what is repeated, what is switched off, what is measured."""

import math

import pytest
import torch
from lab import induction
from lab.induction import (
    AttentionOnly,
    ByDistance,
    copying,
    guess,
    learn_to_copy,
    paired,
    previous_score,
    repeating,
)
from torch import nn

from solutions.multi_head import MultiHeadAttention, merge_heads, split_heads
from solutions.writer import RotaryAttention, induction_score


def test_what_can_be_known_is_the_second_token_of_a_pair_that_came_before():
    tokens, known = paired(50, torch.Generator().manual_seed(0))
    assert tokens.shape == known.shape == (50, induction.LENGTH)
    assert tokens.min() >= 0 and tokens.max() < induction.VOCABULARY
    for row, marks in zip(tokens.tolist(), known.tolist(), strict=True):
        followed, seconds = {}, set()
        for place in range(0, induction.LENGTH, 2):
            first, second = row[place : place + 2]
            assert marks[place : place + 2] == [False, first in followed]
            assert followed.setdefault(first, second) == second
            seconds.add(second)
        assert len(seconds) == len(followed) <= induction.PAIRS
        assert not seconds & set(followed)


def test_who_guesses_among_the_seconds_is_right_as_often_as_guess_says():
    tokens, known = paired(200, torch.Generator().manual_seed(0))
    slow = [
        1 / len({row[i] for i in range(1, place, 2)})
        for row, marks in zip(tokens.tolist(), known.tolist(), strict=True)
        for place in range(induction.LENGTH)
        if marks[place]
    ]
    assert guess(tokens, known) == pytest.approx(sum(slow) / len(slow))


def test_neither_distance_nor_recency_says_which_pair_comes_next():
    """Two heads of one layer that see distance alone: the task must leave them guessing."""
    tokens, known = repeating(256, torch.Generator().manual_seed(9))
    assert copying(ByDistance(), tokens, known)[1] > 0.9  # rounds would be too easy
    tokens, known = paired(1000, torch.Generator().manual_seed(9))
    assert copying(ByDistance(), tokens, known)[1] < guess(tokens, known) < 0.13
    rows = tokens.tolist()
    ranks = []  # of the pair that comes, among those seen: 0 for the latest, 1 for the oldest
    for row, place in ((rows[b], int(t)) for b, t in known.nonzero()):
        order = list(dict.fromkeys(reversed(row[1:place:2])))
        if len(order) > 1:
            ranks.append(order.index(row[place]) / (len(order) - 1))
    assert sum(ranks) / len(ranks) == pytest.approx(0.5, abs=0.01)


@pytest.mark.slow
def test_in_one_layer_a_key_cannot_know_what_stood_before_it():
    """Exchange what stood before two tokens: their share of each head's weight must stay."""
    model = AttentionOnly([RotaryAttention(8, 2)], 8)
    a, b, c, d = 3, 14, 15, 9
    row = torch.tensor([[a, b, 40, 41, c, d, 42, 43, a], [c, b, 40, 41, a, d, 42, 43, a]])
    (weights,) = model.all_weights(row)
    ratio = weights[:, :, -1, 1] / weights[:, :, -1, 5]  # of b to d, (B = 2, H = 2)
    torch.testing.assert_close(ratio[0], ratio[1])
    two = AttentionOnly([RotaryAttention(8, 2) for _ in range(2)], 8)
    above = two.all_weights(row)[1]
    ratio = above[:, :, -1, 1] / above[:, :, -1, 5]
    assert (ratio[0] - ratio[1]).abs().min() > 1e-4


def test_a_look_that_is_forbidden_gets_no_weight_and_comes_back():
    model = AttentionOnly([RotaryAttention(8, 2)], 8)
    tokens, _ = paired(3, torch.Generator().manual_seed(0))
    before = model.all_weights(tokens)[0]
    cells = induction.after_same(tokens, 1)
    with induction.forbidden(model.layers[0], cells):
        without = model.all_weights(tokens)[0]
    slow = before.clone()
    for b, row in enumerate(tokens.tolist()):
        for i in range(len(row)):
            for j in range(1, i):
                if row[j - 1] == row[i]:
                    slow[b, :, i, j] = 0
    torch.testing.assert_close(without, slow / slow.sum(dim=-1, keepdim=True))
    torch.testing.assert_close(model.all_weights(tokens)[0], before)
    away = torch.arange(induction.LENGTH)
    assert torch.equal(induction.back(2), away[:, None] - away == 2)


def test_a_model_without_attention_cannot_copy_and_one_that_knows_is_right():
    tokens, known = paired(20, torch.Generator().manual_seed(0))
    model = AttentionOnly([], 8)
    nn.init.zeros_(model.output.weight), nn.init.zeros_(model.output.bias)
    bits, _ = copying(model, tokens, known)
    assert bits == pytest.approx(math.log2(induction.VOCABULARY))

    class Oracle(nn.Module):
        def forward(self, tokens):
            return 100.0 * nn.functional.one_hot(tokens.roll(-1, dims=1), induction.VOCABULARY)

    assert copying(Oracle(), tokens, known) == pytest.approx((0.0, 1.0))


def test_does_not_look_ahead():
    model = AttentionOnly([RotaryAttention(8, 2) for _ in range(2)], 8)
    tokens, _ = paired(2, torch.Generator().manual_seed(0))
    other = tokens.clone()
    other[:, 40:] = 0
    torch.testing.assert_close(model(tokens)[:, :40], model(other)[:, :40])
    for weights in model.all_weights(tokens):
        assert weights.triu(1).abs().max() == 0


def test_previous_score_is_the_mean_weight_on_the_position_before():
    weights = torch.rand(3, 2, 5, 5)
    slow = [
        sum(weights[b, h, i, i - 1] for b in range(3) for i in range(1, 5)) / 12 for h in (0, 1)
    ]
    torch.testing.assert_close(previous_score(weights), torch.stack(slow))


def test_a_head_that_is_switched_off_gives_zeros_and_comes_back():
    layer, x = MultiHeadAttention(12, 3), torch.randn(2, 5, 12)
    before, weights = layer(x, x, x)
    heads = weights @ split_heads(layer.W_v(x), 3)
    heads[:, [0, 2]] = 0.0
    with induction.switched_off(layer, 0, 2):
        torch.testing.assert_close(layer(x, x, x)[0], layer.W_o(merge_heads(heads)))
    torch.testing.assert_close(layer(x, x, x)[0], before)


def test_measures_from_the_first_step_to_the_last(monkeypatch):
    monkeypatch.delenv("ATTENTION_COURSE_QUICK", raising=False)
    model = AttentionOnly([RotaryAttention(8, 2)], 8)
    learned = learn_to_copy(model, induction_score, 45, batch=4)
    assert learned.steps == [0, 20, 40, 45]
    assert [scores.shape for scores in learned.induction] == [(1, 2)] * 4
    assert len(learned.trained.losses) == 45
    assert learned.bits[0] == pytest.approx(6, abs=0.7)


def test_half_way_is_the_first_step_past_the_middle_rising_or_falling():
    learned = induction.Learned(steps=[0, 20, 40, 60])
    assert learned.half_way([6.0, 5.0, 2.0, 1.0]) == 40
    assert learned.half_way([0.0, 0.1, 0.2, 1.0]) == 60
