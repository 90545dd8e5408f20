"""Chapter 10's experiment: what is repeated, what is switched off, what is measured."""

import math

import pytest
import torch
from lab import induction
from lab.induction import AttentionOnly, copying, learn_to_copy, previous_score, repeating
from torch import nn

from solutions.multi_head import MultiHeadAttention, merge_heads, split_heads
from solutions.writer import RotaryAttention, induction_score


@pytest.fixture(autouse=True)
def seed():
    torch.manual_seed(0)


def test_what_can_be_known_has_followed_its_token_before_and_nothing_else_has():
    tokens, known = repeating(50, torch.Generator().manual_seed(0))
    assert tokens.shape == known.shape == (50, induction.LENGTH)
    assert tokens.min() >= 0 and tokens.max() < induction.VOCABULARY
    for row, marks in zip(tokens.tolist(), known.tolist(), strict=True):
        for place in range(1, induction.LENGTH):
            earlier = [i for i in range(place - 1) if row[i] == row[place - 1]]
            assert marks[place] == bool(earlier)
            assert all(row[i + 1] == row[place] for i in earlier)
    rounds = (~known).sum(dim=1) - 1
    assert set(rounds.tolist()) >= {16, 32}  # no fixed distance


def test_a_model_without_attention_cannot_copy_and_one_that_knows_is_right():
    tokens, known = repeating(20, torch.Generator().manual_seed(0))
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
    tokens, _ = repeating(2, torch.Generator().manual_seed(0))
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
