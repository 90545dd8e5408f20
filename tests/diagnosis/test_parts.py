"""Is it told in which part of a layer, or beside which one, a mistake stands that nobody knows?"""

import pytest
import torch
from torch.nn import functional as F

from autograder.checking import find
from autograder.diagnosis.judge import judge
from autograder.diagnosis.recording import live
from autograder.remote.calling import Home
from autograder.source.sources import definition
from solutions.multi_head import from_torch


def verdict(name, thing):
    torch.default_generator.manual_seed(2017)
    return judge(name, Home({name: thing}), live(find(name)))


def changed(name, old, new, within=""):
    root = definition(find(name).module, name)
    code = root.whole[within or name].code
    assert code.count(old) == 1
    return root.built({within or name: code.replace(old, new)})


HIDDEN = "hidden = self.activation(self.linear1(x))"


@pytest.mark.parametrize(
    ("name", "part"), [("EncoderBlock", "`feed_forward`"), ("DecoderBlock", "`feed_forward`")]
)
def test_the_part_that_answers_wrongly_by_itself_is_named(name, part):
    wrong = changed(name, HIDDEN, f"{HIDDEN}.clamp(max=0.37)", within="FeedForward")
    found = verdict(name, wrong)
    assert found.key.endswith("part.inside") and part in found.misconception


def test_parts_that_are_right_by_themselves_leave_what_is_beside_them():
    old = "self.dropout(self.feed_forward(seen))"
    found = verdict("EncoderBlock", changed("EncoderBlock", old, f"0.37 * {old}"))
    assert found.key.endswith("part.beside")
    assert "with `feed_forward` switched off" in found.misconception


def test_what_becomes_of_a_parameter_of_its_own_is_told_place_by_place():
    """The class token gets the last of the positions, and every patch the one before its own."""
    wrong = changed("PatchEmbedding", "+ self.positions", "+ self.positions.roll(-1, dims=1)")
    found = verdict("PatchEmbedding", wrong)
    assert found.key.endswith("part.own")
    assert "with `positions` all zero, the whole is right" in found.misconception
    assert (
        "the result at place 0 along the next to last axis depends on place 1 of `positions` along "
        "the next to last axis, which it should not" in found.misconception
    )


def test_weights_are_as_they_were_after_one_was_switched_off():
    """The small example is looked for afterward, with the same layers."""
    old = "self.dropout(self.feed_forward(seen))"
    wrong = changed("EncoderBlock", old, f"0.37 * {old}")
    name = "EncoderBlock"
    alone = judge(name, Home({name: wrong}), live(find(name)), more=True)
    assert alone.more["got"] != alone.more["want"]
    assert any("." in cell for row in alone.more["want"] for cell in row)


def in_one_view(logits, tokens, pad_id=None):
    flat = logits[:, :-1].view(-1, logits.shape[-1])
    return F.cross_entropy(flat, tokens[:, 1:].flatten(), ignore_index=-100)


def of_queries(query, key):
    return query.squeeze() @ key.reshape(7, 8).T.T / 8**0.5


@pytest.mark.parametrize(
    ("name", "wrong", "key", "words"),
    [
        ("next_token_loss", in_one_view, "plain.error.view", "`.reshape` copies"),
        ("scaled_dot_product_scores", of_queries, "plain.error.features", "vectors of 7 numbers"),
    ],
)
def test_what_an_error_means_is_said(name, wrong, key, words):
    found = verdict(name, wrong)
    assert key in found.key.split(" + ") and words in found.misconception


def searching(best, extended=lambda tokens: tokens):
    """A beam search that keeps other hypotheses, or extends other tokens."""

    def beam_search(step, bos_id, eos_id, beam_width, max_length, length_penalty=0.0):
        beam = [((), 0.0)]
        for _ in range(max_length):
            found = [one for one in beam if one[0][-1:] == (eos_id,)]
            open_ones = [one for one in beam if one not in found]
            if not open_ones:
                break
            prefixes = torch.tensor([(bos_id, *extended(tokens)) for tokens, _ in open_ones])
            for row, (tokens, total) in zip(step(prefixes).log_softmax(-1), open_ones, strict=True):
                found += [((*tokens, i), total + x) for i, x in enumerate(row.tolist())]
            beam = best(sorted(found, key=lambda one: -one[1]), beam_width)
        tokens, total = max(
            beam, key=lambda one: one[1] / ((5 + len(one[0])) / 6) ** length_penalty
        )
        return torch.tensor(tokens), total

    return beam_search


def test_the_search_that_these_are_made_of_is_right():
    assert verdict("beam_search", searching(lambda found, width: found[:width])).passed


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (
            searching(lambda found, width: found[1 : width + 1]),
            "call 1, `step` is given what it should be. Call 2 is given [[",
        ),
        (
            searching(lambda found, width: found[:width], lambda tokens: tokens[::-1]),
            "call 2, `step` is given what it should be. Call 3 is given [[",
        ),
    ],
)
def test_the_call_of_step_is_named_at_which_a_search_goes_astray(wrong, words):
    found = verdict("beam_search", wrong)
    assert found.key.endswith("part.step")
    assert words in found.misconception and "look at what is kept" in found.misconception


def test_rows_that_have_ended_may_be_given_along():
    """Only where other tokens are kept does a search go astray."""
    root = definition("encoder_decoder", "beam_search", "tensors, finished rows padded with eos")
    assert verdict("beam_search", root.built()).passed
    wrong = root.code.replace("** length_penalty)", "** length_penalty - 9 * (lengths == 4))")
    assert wrong != root.code
    found = verdict("beam_search", root.built({"beam_search": wrong}))
    assert found.key.startswith("plain.") and "`step` is given" not in found.misconception


def test_between_which_parts_it_goes_wrong_where_all_of_them_are_right():
    """No part can be switched off without the whole becoming a constant."""
    old = "self.head(self.norm(x[:, 0]))"
    wrong = changed("VisionTransformer", old, "self.head(self.norm(x[:, 0]).sin())")
    found = verdict("VisionTransformer", wrong)
    assert found.key.endswith("part.between")
    told = (
        "weights of `norm` zero, the whole is right, and with those of `encoder` zero it is wrong"
    )
    assert told in found.misconception


def test_of_other_weights_no_part_is_said_to_answer_wrongly():
    def sharing(mha):
        layer = from_torch(mha)
        bias = mha.in_proj_bias is not None
        for place, linear in enumerate((layer.W_q, layer.W_k, layer.W_v)):
            rows = slice(place * mha.embed_dim, (place + 1) * mha.embed_dim)
            linear.weight = torch.nn.Parameter(mha.in_proj_weight.detach()[rows])
            if bias:
                linear.bias = torch.nn.Parameter(mha.in_proj_bias.detach()[rows])
        return layer

    found = verdict("from_torch", sharing)
    assert "part.inside" not in found.key
