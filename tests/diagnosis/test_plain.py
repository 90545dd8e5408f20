"""Is what is said of wrong answers true of them, and is something said whatever fails?"""

import pytest
import torch
from torch import nn

from autograder.checking import find
from autograder.diagnosis import diagnose, experiments, relations, where
from autograder.diagnosis.judge import judge
from autograder.diagnosis.recording import live
from autograder.remote.calling import Home
from solutions.attention_layer import AttentionLayer
from solutions.encoder_decoder import warmup_rate
from solutions.lookup import letter_similarity
from solutions.masked import masked_softmax
from solutions.real_encoder import convert_weights
from solutions.self_attention import equivariance_gap
from solutions.softmax import scaled_dot_product_scores, softmax
from solutions.transformer_block import Encoder
from solutions.vit import attention_rollout
from tests.diagnosis.test_diagnosis import without


@pytest.mark.parametrize(
    ("got", "want", "said"),
    [
        ([0.0, 0.0, 2.0], [-1.0, 0.0, 2.0], "none is below a limit"),
        ([-1.0, 1.0, 1.0], [-1.0, 1.0, 3.0], "none is above a limit"),
        ([1.0], [0.0], ""),  # one number shows no limit
        ([1.0, 1.0], [0.0, 0.0], ""),
        ([0.0, 0.5, 2.0], [-1.0, 0.0, 2.0], ""),
    ],
)
def test_numbers_are_cut_off_only_where_others_are_not(got, want, said):
    found = relations.Numbers("", torch.tensor(got), torch.tensor(want))
    sentence = relations._clamped(found)
    assert said in sentence if said else not sentence


@pytest.mark.parametrize(
    ("got", "key"),
    [
        ([[1.0, 4.0, 9.0]], "function+places"),
        ([[2.0, 4.0, 6.0]], "factor"),
        ([[0.5, 1.5, 2.5]], "offset"),
        ([[1.0, 2.0, 3.5]], "places"),
        ([[1.1, 2.3, 2.8]], "off"),
    ],
)
def test_how_numbers_are_wrong_is_told_of_all_of_them(got, key):
    found = relations.Numbers("", torch.tensor(got), torch.tensor([[1.0, 2.0, 3.0]]))
    assert relations.related([found])[0] == key


def test_nothing_is_said_that_is_true_of_some_only():
    """The one is doubled, the other is not."""
    want = torch.tensor([[1.0, 2.0, 4.0]])
    both = [relations.Numbers("", want * 2, want), relations.Numbers("", want.square() + 1, want)]
    key, sentence = relations.related(both)
    assert "2 times" not in sentence


def test_one_number_shows_no_factor():
    found = relations.Numbers("", torch.tensor([3.0]), torch.tensor([2.0]))
    assert relations.related([found])[0] == "off"
    assert relations.related([found, found])[0] == "factor"
    assert "sign" in relations.related([relations.Numbers("", -found.got, found.got)])[1]


@pytest.mark.parametrize(
    ("mine", "right", "words"),
    [
        ((2, 3), (2, 3, 4), "one axis too few"),
        ((2, 3, 4, 1), (2, 3, 4), "one axis too many"),
        ((3, 2), (2, 3), "in another order"),
        ((2, 4), (2, 3), "The last axis has the size 4, where 3 belongs"),
    ],
)
def test_how_a_shape_is_wrong(mine, right, words):
    assert words in relations.shapes_in_words(torch.empty(mine), torch.empty(right))[1]


def said(monkeypatch, name, thing):
    """What is said where no misconception is looked for."""
    plainly = [one for one in diagnose.STRATEGIES if one.find.__name__ == "_plainly"]
    monkeypatch.setattr(diagnose, "STRATEGIES", tuple(plainly))
    return judge(name, Home({name: thing}), live(find(name)))


def test_where_a_mask_is_given(monkeypatch):
    def wrong(scores, mask=None, dim=-1):
        result = masked_softmax(scores, mask, dim)
        return result if mask is None else result * 0.37

    found = said(monkeypatch, "masked_softmax", wrong)
    assert "is wrong only where `mask` is given" in found.misconception
    assert "0.37 times" in found.misconception


def test_a_condition_is_tried_and_not_only_counted(monkeypatch):
    """In every call with a mask something is forbidden, but it is the mask that does it."""

    def wrong(scores, mask=None, dim=-1):
        result = masked_softmax(scores, mask, dim)
        return result if mask is None else result + 0.1

    sentence = said(monkeypatch, "masked_softmax", wrong).misconception
    assert "where something is False" not in sentence


def test_along_one_axis(monkeypatch):
    def wrong(scores, dim=-1):
        last = dim in (-1, scores.dim() - 1)
        return softmax(scores, dim) if last else softmax(scores, dim) ** 2

    sentence = said(monkeypatch, "softmax", wrong).misconception
    assert "where `dim` is not the last axis of `scores`" in sentence


def test_an_error_is_told_with_where_it_comes_and_what_it_says(monkeypatch):
    def wrong(scores, mask=None, dim=-1):
        if mask is not None:
            raise KeyError("no such thing")
        return masked_softmax(scores, mask, dim)

    found = said(monkeypatch, "masked_softmax", wrong)
    assert found.key == "plain.error.KeyError"
    assert "ends in an error where `mask` is given" in found.misconception
    assert "no such thing" in found.misconception


def test_what_a_result_hangs_on_is_tried(monkeypatch):
    """Every number hangs on the one after it, in all cases, by no simple relation."""

    def wrong(scores, dim=-1):
        return softmax(scores + scores.roll(-1, 0).square(), dim)

    found = said(monkeypatch, "softmax", wrong)
    assert found.key.endswith("flow")
    assert "depends on place 1 of `scores` along the next to last axis" in found.misconception


def test_a_saturated_result_is_not_said_to_hang_on_too_much(monkeypatch):
    """Keys of unit length: where scores are large, the right result hangs on one input only."""

    class Wrong(AttentionLayer):
        def forward(self, queries, inputs):
            query = nn.functional.normalize(queries, dim=-1)
            key = nn.functional.normalize(self.W_k(inputs), dim=-1)
            weights = (query @ key.mT / query.shape[-1] ** 0.5).softmax(dim=-1)
            return weights @ self.W_v(inputs), weights

    sentence = said(monkeypatch, "AttentionLayer", Wrong).misconception
    assert "depends" not in sentence
    assert "`queries` are doubled, the result stays as it is, which it should not" in sentence


def test_how_a_result_follows_is_said_with_what_it_should_not():
    assert experiments._unlike("double", experiments.OTHERWISE) == (
        "the result doubles, which it should not."
    )
    assert experiments._unlike(experiments.OTHERWISE, "double") == (
        "the result should double, and it changes in another way."
    )


def test_what_is_drawn_at_random_is_told(monkeypatch):
    def wrong(scores, dim=-1):
        return softmax(scores, dim) + torch.rand(()).item()

    assert "gives two results" in said(monkeypatch, "softmax", wrong).misconception


def test_what_one_number_hangs_on_is_not_concluded_from_one_call(monkeypatch):
    """The largest difference hangs on other places in each call."""

    def wrong(layer, x, permutation):
        if isinstance(layer(x), tuple):
            return equivariance_gap(layer, x, permutation)
        return float((layer(x[permutation])[0] - layer(x)[permutation][0]).abs().max())

    found = said(monkeypatch, "equivariance_gap", wrong)
    assert found.key == "plain.cases+off"
    assert "depends on" not in found.misconception


def test_entries_of_another_shape_are_among_those_that_are_wrong(monkeypatch):
    def wrong(state_dict):
        right = convert_weights(state_dict)
        changed = ("W_o.weight", "linear1.weight", "linear2.weight", "pooler.weight")
        return {name: one.t() if name.endswith(changed) else one for name, one in right.items()}

    sentence = said(monkeypatch, "convert_weights", wrong).misconception
    told, others = sentence.split("; missing or of another shape are ")
    assert "pooler.weight" in told and "W_o.weight" in told
    assert "linear1.weight" in others and "linear2.weight" in others


class OneBlock(Encoder):
    """One block, used again and again."""

    def __init__(self, num_layers, *args, **kwargs):
        super().__init__(num_layers, *args, **kwargs)
        self.layers = torch.nn.ModuleList([*self.layers[:1]] * num_layers)


def test_parameters_that_are_shared_are_no_error_of_the_code(monkeypatch):
    verdict = said(monkeypatch, "Encoder", OneBlock)
    sentence = f"{verdict.misconception} {verdict.message}"
    assert "are one and the same parameter" in sentence
    assert "ends in an error" not in sentence and "issing" not in sentence


def test_an_exponent_with_the_other_sign_is_told_as_such(monkeypatch):
    without(monkeypatch, "warmup_rate", "width-multiplied")

    def wrong(step, embed_dim, warmup_steps=4000):
        return warmup_rate(step, embed_dim, warmup_steps) * embed_dim

    found = judge("warmup_rate", Home({"warmup_rate": wrong}), live(find("warmup_rate")))
    assert found.key == "slip.exponent"
    assert "exponent of a power had the other sign" in found.misconception


def test_a_sentence_is_said_once():
    one, other = diagnose.Finding("one", "It is so."), diagnose.Finding("other", "It is so.")
    more = diagnose.Finding("more", "It is thus.")
    told = diagnose.Diagnosis((one, other, more), diagnose.Event("value"))
    assert told.sentence == "It is so. And: It is thus."
    assert told.key == "one + other + more"


def test_where_a_token_of_a_special_meaning_stands():
    given = {"pad_id": 3, "tokens": torch.tensor([[1, 3]]), "length": 2}
    (trait,) = where._of_tokens(given)
    assert trait.holds and trait.yes == "where `pad_id` stands in `tokens`"
    (trait,) = where._of_tokens(given | {"pad_id": 2})
    assert not trait.holds


def test_a_word_is_no_condition_where_it_is_no_option(monkeypatch):
    def wrong(a, b):
        return 1.0 if not a or not b else letter_similarity(a, b)

    found = said(monkeypatch, "letter_similarity", wrong)
    wanted = "in 2 cases (one empty word; an empty word and a space), and right in 12 cases"
    assert wanted in found.misconception


def test_a_property_that_holds_is_no_right_answer(monkeypatch):
    """Every row of half the weights is wrong; the check asks of some that they sum to one."""

    def wrong(weights):
        return attention_rollout([weight.flip(-1) for weight in weights])

    sentence = said(monkeypatch, "attention_rollout", wrong).misconception
    assert "right in" not in sentence and "in every case that is tried" in sentence


def test_a_refusal_is_told_as_one(monkeypatch):
    def wrong(a, b):
        if len(a) != len(b):
            raise ValueError(f"{a} and {b} are of two lengths")
        return letter_similarity(a, b)

    assert "refuses what its contract allows" in (
        said(monkeypatch, "letter_similarity", wrong).misconception
    )


def test_a_missing_key_is_told_in_words(monkeypatch):
    def wrong(state_dict):
        return convert_weights(dict(state_dict) | {"x": state_dict["no_such_name"]})

    sentence = said(monkeypatch, "convert_weights", wrong).misconception
    assert "The key 'no_such_name' is looked up" in sentence


def test_an_argument_that_makes_no_difference_is_told_without_a_pair_of_calls(monkeypatch):
    def wrong(query, key):
        return scaled_dot_product_scores(torch.ones_like(query), key)

    sentence = said(monkeypatch, "scaled_dot_product_scores", wrong).misconception
    assert "`query` makes no difference to the result" in sentence


@pytest.mark.parametrize(
    ("relation", "got"), [("_triangle", [[0, 0, 1.0]] + 2 * [[0, 0, 0.0]]), ("_places", None)]
)
def test_one_wrong_number_is_on_no_side_of_the_diagonal(relation, got):
    numbers = torch.tensor(got or [[0, 0, 1.0], [0, 1.0, 0], [1.0, 0, 0]])
    found = relations.Numbers("", numbers, torch.zeros(3, 3))
    assert not getattr(relations, relation)(found)


def test_of_true_and_false_no_zero_is_spoken(monkeypatch):
    def wrong(lengths, max_length):
        return torch.arange(max_length) <= lengths[:, None] + 1

    assert "zero" not in said(monkeypatch, "padding_mask", wrong).misconception
