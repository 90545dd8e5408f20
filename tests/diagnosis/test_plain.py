"""Is what is said of wrong answers true of them, and is something said whatever fails?"""

import re
from dataclasses import replace

import pytest
import torch
from torch import nn

from autograder.checking import find
from autograder.checking.events import Event, Log, Reason
from autograder.diagnosis import (
    diagnose,
    errors,
    experiments,
    findings,
    plain,
    relations,
    where,
)
from autograder.diagnosis.by_argument import Compared, Shaped, by_argument, by_size
from autograder.diagnosis.explaining import Students
from autograder.diagnosis.judge import judge
from autograder.diagnosis.recording import live
from autograder.diagnosis.set_aside import set_aside
from autograder.remote.calling import Home
from autograder.remote.requests import CallRequest, Reply
from autograder.remote.values import Function
from solutions.attention_layer import AttentionLayer, scaled_dot_product_attention
from solutions.bahdanau import AttentionDecoder, BidirectionalEncoder
from solutions.encoder_decoder import DecoderBlock, beam_search, warmup_rate
from solutions.encoder_decoder import reference as encoder_decoder
from solutions.lookup import letter_similarity
from solutions.masked import causal_mask, masked_softmax, next_token_loss
from solutions.multi_head import MultiHeadAttention, merge_heads, split_heads
from solutions.real_encoder import convert_weights, mean_pool
from solutions.self_attention import SelfAttention, equivariance_gap
from solutions.softmax import scaled_dot_product_scores, softmax
from solutions.transformer_block import Encoder, LayerNorm
from solutions.vit import attention_rollout, random_patch_mask
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
        ([[-1.0, 2.0, -3.0]], "signs"),
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
    known = ("_drawn", "_plainly")
    plainly = [one for one in diagnose.STRATEGIES if one.find.__name__ in known]
    monkeypatch.setattr(diagnose, "STRATEGIES", tuple(plainly))
    return judge(name, Home({name: thing}), live(find(name)))


def test_where_a_mask_is_given(monkeypatch):
    def wrong(scores, mask=None, dim=-1):
        result = masked_softmax(scores, mask, dim)
        return result if mask is None else result * 0.37

    found = said(monkeypatch, "masked_softmax", wrong)
    assert found.misconception.startswith("In this check, masked_softmax is wrong in ")
    assert "calls where `mask` is given" in found.misconception
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
    assert re.search(r"in an error in the \d+ calls where `mask` is given", found.misconception)
    assert "no such thing" in found.misconception


def test_what_a_result_hangs_on_is_tried(monkeypatch):
    """Every number hangs on the one after it, in all cases, by no simple relation."""

    def wrong(scores, dim=-1):
        return softmax(scores + scores.roll(-1, 0).square(), dim)

    found = said(monkeypatch, "softmax", wrong)
    assert found.key.endswith("flow")
    assert "depends on place 1 of `scores` along the next to last axis" in found.misconception


def test_what_a_special_mask_makes_idle_is_not_said_to_be_so_always(monkeypatch):
    """Where a mask leaves each query one key, the right result is the same for all queries."""

    def wrong(query, key, value, mask=None):
        scores = query @ key.mT / key.shape[-1] ** 0.5
        if mask is not None:
            scores[~mask] = -torch.inf  # needs the mask's own shape, and takes (3,) for queries
        weights = scores.softmax(-1).nan_to_num(0.0)
        return weights @ value, weights

    sentence = said(monkeypatch, "scaled_dot_product_attention", wrong).misconception
    assert "IndexError" in sentence
    assert "of `query` along" not in sentence
    assert "numbers of `query` are" not in sentence


def test_what_is_said_of_a_case_is_true_of_all_of_its_calls(monkeypatch):
    """Of two words of one length some answers are zero, and others only too small."""

    def wrong(a, b):
        a, b = a.lower(), b.lower()
        same = sum(a.index(letter) == b.find(letter) for letter in a)
        return same / max(len(a), len(b)) if a or b else 1.0

    sentence = said(monkeypatch, "letter_similarity", wrong).misconception
    assert "All numbers that are wrong are zero" not in sentence


def test_what_is_simpler_names_all_that_is(monkeypatch):
    """A bias is not divided: with one key nothing shows it, however many queries there are."""

    class Wrong(MultiHeadAttention):
        def forward(self, query, key, value, mask=None):
            root = (query.shape[-1] / self.num_heads) ** 0.5
            query = split_heads(self.W_q(query / root), self.num_heads) * root
            key, value = self.W_k(key), self.W_v(value)
            key, value = (split_heads(one, self.num_heads) for one in (key, value))
            heads, weights = scaled_dot_product_attention(query, key, value, mask)
            return self.W_o(merge_heads(heads)), weights

    sentence = said(monkeypatch, "MultiHeadAttention", Wrong).misconception
    assert "of `query` have the size 1" not in sentence


def test_numbers_of_parts_that_are_right_are_counted():
    got, want = (torch.zeros(5), torch.ones(5)), (1 + torch.arange(5.0) ** 2, torch.ones(5))
    event = Event("value", got, want, account="off", reason=Reason.VALUES)
    (found,) = relations.numbers_in(got, want)
    assert relations.off([found]).startswith("The shape is right, but all numbers are wrong")
    assert "5 of 10 numbers are wrong" in relations.off([found], plain._right_beside(event))


def test_calls_with_other_functions_are_no_repetition():
    """One that ends in an error of what it is given is looked at, though another one does too."""
    steps = (
        Function(source, "step")
        for source in ("def step(x):\n    return x", "def step(x):\n    raise ValueError")
    )
    requests = (CallRequest("beam_search", (step, 0)) for step in steps)
    one, other = (
        where.Judged(findings.Asked(request, Reply(), findings.State()), {}, 1, where.RAISES)
        for request in requests
    )
    assert one.repeats(one)
    assert not one.repeats(other)


def test_an_error_of_a_function_that_was_given_is_no_refusal(monkeypatch):
    """The step of the check refuses what has ended: the learner's code refuses nothing."""

    def wrong(step, bos_id, eos_id, beam_width, max_length, length_penalty=0.0):
        def with_one_that_has_ended(tokens):
            ended = tokens[:1].clone()
            ended[:, 1:] = eos_id
            return step(torch.cat([tokens, ended]))[:-1]

        return beam_search(
            with_one_that_has_ended, bos_id, eos_id, beam_width, max_length, length_penalty
        )

    sentence = said(monkeypatch, "beam_search", wrong).misconception
    assert "given one that has ended" in sentence
    assert "refuses" not in sentence


def test_numbers_below_zero_are_given_by_their_size():
    (found,) = relations.numbers_in(torch.zeros(5), -(torch.arange(5.0) ** 2))
    assert "the right ones have sizes up to 16" in relations.off([found])


def test_a_step_without_a_name_is_not_said_to_come_early():
    """Of a mean of nothing that has a name, a quotient without what follows tells nothing."""

    def wrong(weights):
        rows = [one.mean(dim=1) for one in weights]
        eye = torch.eye(rows[0].shape[-1], dtype=rows[0].dtype)
        result = rows[0]
        for one in rows[1:]:
            result = (one + eye) / 2 @ result
        return result

    verdict = judge(
        "attention_rollout", Home({"attention_rollout": wrong}), live(find("attention_rollout"))
    )
    assert "a quotient stood" not in verdict.misconception


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


@pytest.mark.parametrize("share", [0.02, 0.05, 0.1])
def test_what_is_seldom_drawn_is_no_matter_of_memory(share):
    """Some calls keep all of their numbers and are right, others lose some of them."""

    def wrong(scores, dim=-1):
        exponentials = (scores - scores.amax(dim, keepdim=True)).exp()
        kept = nn.functional.dropout(exponentials, share)
        return kept / kept.sum(dim, keepdim=True)

    assert judge("softmax", Home({"softmax": wrong}), live(find("softmax"))).key == "fact.drawn"


@pytest.mark.parametrize("share", [0.02, 0.05])
def test_what_is_seldom_drawn_is_told_where_calls_are_small(share):
    """All answers are wrong, and most of them are the same when they are asked for again."""

    def wrong(scores, dim=-1):
        exponentials = (scores - scores.amax(dim, keepdim=True)).exp()
        return nn.functional.dropout(exponentials / exponentials.sum(dim, keepdim=True), share)

    assert judge("softmax", Home({"softmax": wrong}), live(find("softmax"))).key == "fact.drawn"


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
    wanted = "in 2 cases (one empty word; an empty word and a space), and is right in "
    assert wanted in found.misconception and "calls where" not in found.misconception


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
    assert "`query` makes no difference there" in sentence


@pytest.mark.parametrize("got", [[0, 0, 1.0, 0, 0, 0, 0, 0, 0], [0, 0, 1.0, 0, 1.0, 0, 1.0, 0, 0]])
def test_few_wrong_numbers_are_on_no_side_of_the_diagonal(got):
    found = relations.Numbers("", torch.tensor(got).reshape(3, 3), torch.zeros(3, 3))
    key, _ = relations.related([found])
    assert "triangle" not in key and "diagonal" not in key


def test_what_shows_too_little_speaks_against_nothing():
    """On the diagonal of one all is wrong, and of the other one number."""
    right = torch.arange(9.0).reshape(3, 3) + 1
    other = right.clone()
    other[1, 1] = -3
    first = relations.Numbers("", right + torch.eye(3), right)
    assert relations.related([first, relations.Numbers("", other, right)])[0] == "diagonal"
    beside = other.clone()
    beside[1, 2] = -3
    both = [first, relations.Numbers("", beside, right)]
    assert "diagonal" not in relations.related(both)[0]


def test_of_zeros_alone_no_property_of_vectors_is_told():
    """They are all the same, have the mean 0, and so on, for no reason of their own."""
    wrong = torch.tensor([[0.3, -0.5, 0.1], [0.2, 0.7, -0.4]])
    numbers = list(relations.numbers_in(wrong, torch.zeros(2, 3)))
    text = relations.related(numbers)[1]
    assert text.endswith("Nothing but zeros should stand there.") and "the same" not in text


def test_of_true_and_false_no_zero_is_spoken(monkeypatch):
    def wrong(lengths, max_length):
        return torch.arange(max_length) <= lengths[:, None] + 1

    assert "zero" not in said(monkeypatch, "padding_mask", wrong).misconception


def test_a_property_and_an_error_that_is_asked_for_are_no_right_answers(monkeypatch):
    """All is wrong here but what is refused."""

    def wrong(weights):
        means = [one.mean(dim=1) for one in weights]
        halves = [(one + torch.eye(one.shape[-1])) / 2 for one in means[1:]]
        result = means[0]
        for one in halves:
            result = one @ result
        return result

    sentence = said(monkeypatch, "attention_rollout", wrong).misconception
    assert "right in" not in sentence


def test_where_digits_are_lost_in_float64_right_is_not_said_of_it(monkeypatch):
    def wrong(weights, values):
        total = weights.sum()
        if (weights < 0).any() or total == 0:
            raise ValueError(f"weights {weights}")
        return weights @ values / (total + 1e-8)

    verdict = said(monkeypatch, "weighted_average", wrong)
    assert "is right to about four digits in" in verdict.misconception
    assert verdict.message.startswith("weights near zero")


def test_what_is_asked_twice_in_training_and_in_evaluation(monkeypatch):
    class Wrong(AttentionDecoder):
        def forward(self, previous, state, annotations, mask):
            state = nn.functional.dropout(state, 0.3, self.training)
            return super().forward(previous, state, annotations, mask)

    verdict = said(monkeypatch, "AttentionDecoder", Wrong)
    assert verdict.key == "fact.drawn"
    assert "two results in training, and one in evaluation" in verdict.misconception


def test_an_argument_must_change_three_right_results_to_make_no_difference():
    """The student's result is always the same."""
    requests = [CallRequest("softmax", (torch.arange(4.0) * n,), {}) for n in (1, 2, 3)]

    def none(changing):
        answers = iter(
            [torch.tensor(0.0)] + [torch.tensor(1.0)] * changing + [torch.tensor(0.0)] * 20
        )
        return lambda request: (torch.tensor(5.0), next(answers))

    asked = (find("softmax"), "scores", requests)
    assert not findings.makes_no_difference(*asked, none(2))
    assert findings.makes_no_difference(*asked, none(3))


def test_no_second_mistake_is_claimed_that_nobody_has_tried(monkeypatch):
    def wrong(x, base=10000.0, start=0):
        positions = torch.arange(start, x.shape[-2], dtype=x.dtype)
        angles = positions[:, None] * base ** (-torch.arange(0, x.shape[-1], 2) / x.shape[-1])
        one, other = x[..., ::2], x[..., 1::2]
        turned = (
            one * angles.cos() - other * angles.sin(),
            one * angles.sin() + other * angles.cos(),
        )
        return torch.stack(turned, dim=-1).flatten(-2)

    sentence = said(monkeypatch, "rotate_positions", wrong).misconception
    assert "Something else" not in sentence and "lacks an axis" not in sentence


def test_an_error_that_names_its_argument_is_not_said_to_name_nothing(monkeypatch):
    class Wrong(MultiHeadAttention):
        def __init__(self, embed_dim, num_heads, *args, **kwargs):
            if embed_dim % num_heads:
                raise ValueError("embed_dim must be divisible by num_heads")
            super().__init__(embed_dim, num_heads, *args, **kwargs)

    sentence = said(monkeypatch, "MultiHeadAttention", Wrong).misconception
    assert "does not name all that it is about" in sentence


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda want, x: want * x.shape[-1] ** 0.5,
         "too large by a factor, and that is the root of the size of the last axis of `x`"),
        (lambda want, x: want / x.shape[-1],
         "too small by a factor, and that is the size of the last axis of `x`"),
        (lambda want, x: want + x.shape[-2],
         "too large by one amount, and that is the size of the next to last axis of `x`"),
        (lambda want, x: want - x, "too small by the entry of `x` at the same place"),
        (lambda want, x: x, "the result is `x` as it was given"),
        (lambda want, x: want.where(x > 0, torch.tensor(7.0)), "only where `x` is negative"),
        (lambda want, x: want.square(), ""),
    ],
)  # fmt: skip
def test_what_is_wrong_by_an_argument_or_its_size(change, words):
    asked = []
    for shape in ((4, 5), (3, 8), (6, 7)):
        x = torch.randn(shape, generator=torch.Generator().manual_seed(3)).double()
        want = x.flip(0) + 2
        asked.append(Compared({"x": x}, relations.Numbers("", change(want, x), want)))
    found = by_argument(asked)
    assert words in found[1] if words else found is None


def test_what_must_be_simpler_for_the_answer_to_be_right(monkeypatch):
    """The mean of each row's mean: of one row it is the mean of all."""

    def wrong(logits, tokens, pad_id=None):
        rows = zip(logits.split(1), tokens.split(1), strict=True)
        one = [next_token_loss(*row, pad_id) for row in rows]
        real = [row for row in one if row != 0] or one
        return torch.stack(real).mean()

    sentence = said(monkeypatch, "next_token_loss", wrong).misconception
    words = "where the first axis of `logits` and the first axis of `tokens` have the size 1"
    assert f"{words}, the result was right in all that were tried" in sentence


def test_what_is_only_rounded_is_not_made_simpler(monkeypatch):
    """The mean of squares minus the square of the mean: in float64 it has few wrong digits."""

    class Wrong(LayerNorm):
        def forward(self, x):
            mean = x.mean(dim=-1, keepdim=True)
            variance = x.square().mean(dim=-1, keepdim=True) - mean.square()
            return (x - mean) / (variance + self.eps).sqrt() * self.weight + self.bias

    assert "negative" not in said(monkeypatch, "LayerNorm", Wrong).misconception


def test_what_is_nearly_right_is_no_positive_number_without_its_sign():
    right = torch.tensor([2.1661, 2.0712, 1.9]).double()
    found = relations.Numbers("", right * torch.tensor([1.001, 0.999, 1.0005]), right)
    assert relations.related([found])[0] == "off"


def test_a_module_that_is_not_prepared_is_told_which_line_is_missing():
    class Unprepared(nn.Module):
        def __init__(self):
            self.layer = nn.Linear(2, 3)

    with pytest.raises(AttributeError) as raised:
        Unprepared()
    event = Event("raised", "AttributeError", fields={"message": str(raised.value)})
    assert "super().__init__()" in errors.error_in_words([event])[1]


def test_a_count_that_is_nearly_right_is_neither_infinite_nor_zero():
    found = relations.Numbers("", torch.tensor([2362380.0]), torch.tensor([2362368.0]))
    said_of_it = str(relations.related([found]))
    assert "infinity" not in said_of_it and "zero" not in said_of_it


def test_what_the_given_cache_refuses_is_no_refusal_of_the_code():
    message = "the cache was given keys of shape [3, 6], wanted [3, 2]"
    source = 'raise ValueError(f"the cache was given keys of shape {shape}, wanted {other}")'
    assert errors.is_written("ValueError", message)
    assert not errors.is_written("ValueError", message, given=[source])
    assert not errors.is_written("ValueError", message, "line 4 of forward: cache.append(k, v)")


def test_a_bare_value_error_is_a_refusal_and_named_without_a_message():
    assert errors.is_written("ValueError", "")
    event = Event("raised", "ValueError", fields={"message": ""})
    assert errors.error_in_words([event])[1] == "ValueError without a message."


def test_what_holds_in_the_same_calls_is_told_together():
    """Nobody knows which of the two it is: neither is said alone."""
    sides = [
        where.Side("where `pad` is not 0", frozenset({1, 3}), False, about="pad"),
        where.Side("where `pad` is odd", frozenset({1, 3}), False, about="pad"),
        where.Side("where `layers` is 2", frozenset({1, 3}), False, about="layers"),
        where.Side("where `mask` is given", frozenset({0, 1, 3}), True, about="mask"),
    ]
    found = next(where._telling(sides, frozenset({1, 3}), 3, frozenset()))
    assert found.words == "where `pad` is not 0 and where `layers` is 2"


def test_of_digits_nothing_is_said_that_another_answer_speaks_against(monkeypatch):
    """Without smoothing it is right to the last digit: its steps are made in float64."""

    def wrong(logits, targets, smoothing=0.1, pad_id=0):
        logs, real = logits.log_softmax(dim=-1), targets != pad_id
        index = targets.masked_fill(~real, 0).unsqueeze(-1)
        target = torch.full_like(logs, smoothing / logits.shape[-1])
        right = torch.full_like(logs[..., :1], 1 - smoothing)
        target = target.scatter_add(-1, index, right)
        every = nn.functional.kl_div(logs, target, reduction="none").sum(dim=-1)
        return every.masked_fill(~real, 0.0).sum() / real.sum().clamp(min=1)

    found = judge("label_smoothed_loss", Home({"label_smoothed_loss": wrong}),
                  live(find("label_smoothed_loss")))  # fmt: skip
    assert found.key == "kl-divergence"


def test_how_a_gradient_is_wrong_is_told(monkeypatch):
    """One of two summands is cut off."""
    found = said(monkeypatch, "double", lambda x: x + x.detach())
    assert "a gradient is wrong" in found.misconception
    assert "Of the gradient: Every number is 0.5 times what it should be." in found.misconception


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda want: want.roll(-1, 0) + torch.eye(5)[4][:, None], "one place too early along the"),
        (lambda want: want.flip(1), "in reverse order along the last axis"),
        (lambda want: want.sort(dim=1).values, "the right numbers, but at other places"),
        (lambda want: want.tanh(), "between -1 and 1, as after a tanh"),
        (lambda want: want.mean(0, keepdim=True).expand_as(want), "the same, and should not be"),
        (lambda want: want * torch.arange(1, 6)[:, None], "wrong by one factor, each time another"),
        (lambda want: want + 1e-3 * torch.arange(3), "off"),
    ],
)  # fmt: skip
def test_in_which_way_numbers_are_wrong(change, words):
    generator = torch.Generator().manual_seed(5)
    found = []
    for _ in range(2):
        want = 3 * torch.randn(5, 3, generator=generator).double()
        found.append(relations.Numbers("", change(want), want))
    key, text = relations.related(found)
    assert words in text or key == words


def test_nearly_right_numbers_are_not_said_to_stand_elsewhere():
    """Cosines of 1 and -1, each a little too small: sorted, they are nearly the right ones."""
    want = torch.tensor([1.0, -1.0, 1.0, 1.0, -1.0]).double()
    found = relations.Numbers("", want * (1 - torch.linspace(1e-4, 1e-3, 5).double()), want)
    assert "moved" not in relations.related([found])[0]


def test_rows_of_as_many_true_as_should_be():
    want = torch.tensor([[1, 1, 0, 0], [1, 0, 0, 0]]).double()
    got = torch.tensor([[1, 0, 1, 0], [0, 0, 1, 0]]).double()
    assert relations.related([relations.Numbers("", got, want, True)])[0].startswith("counted")


def test_by_how_much_results_are_too_short_is_told_of_all_of_them():
    pairs = [(torch.empty(2, size), torch.empty(2, size + 1)) for size in (3, 5)]
    assert "the last axis the result has one entry too few" in relations.shape_gap(pairs)
    assert not relations.shape_gap([*pairs, (torch.empty(2, 3), torch.empty(2, 2))])


def test_whose_size_stands_along_an_axis_and_whose_belongs_there():
    def shaped(key, attention, **others):
        given = {"key_dim": key, "attention_dim": attention, "keys": torch.empty(2, 5, key)}
        return Shaped(given | others, torch.Size([2, attention]), torch.Size([2, key]))

    asked = [shaped(6, 8), shaped(7, 9)]
    words = "last axis has the size `attention_dim`, where the size `key_dim` belongs."
    assert by_size(asked).endswith(words)
    assert not by_size(asked[:1])  # one call proves nothing
    alike = [shaped(6, 8, other=8, hidden=8), shaped(7, 9, other=9, hidden=9)]
    assert not by_size(alike)  # nobody knows which


def test_no_fraction_and_no_token_stands_for_a_size():
    given = [{"length_penalty": one, "eos_id": 1, "max_length": two} for one, two in
             ((1.0, 5), (2.0, 6))]  # fmt: skip
    asked = [Shaped(one, torch.Size([one["max_length"]]), torch.Size([int(one["length_penalty"])]))
             for one in given]  # fmt: skip
    assert not by_size(asked)


def test_of_whole_numbers_no_property_of_vectors_is_told():
    """Tokens are alike by chance."""
    numbers = list(relations.numbers_in(torch.tensor([[3, 2, 3, 1]]), torch.tensor([[3, 3, 3, 3]])))
    assert numbers[0].whole and "the same" not in relations.related(numbers)[1]


def test_a_result_that_is_wrong_in_shape_elsewhere_is_not_the_only_right_one(monkeypatch):
    """Here the output's numbers are wrong, and the weights have another shape."""

    class Wrong(AttentionLayer):
        def forward(self, queries, inputs):
            output, weights = super().forward(queries, inputs)
            return 2 * output, weights.mT

    assert "only" not in said(monkeypatch, "AttentionLayer", Wrong).misconception


def test_a_result_that_cannot_be_used_is_no_error_of_the_code(monkeypatch):
    class Wrong(BidirectionalEncoder):
        def forward(self, tokens, lengths):
            annotations, state = super().forward(tokens, lengths)
            return annotations[:, : int(lengths.max())], state

    sentence = said(monkeypatch, "BidirectionalEncoder", Wrong).misconception
    assert "ends in an error" not in sentence and "has another form than its contract" in sentence


def test_what_follows_the_first_of_several_inputs_is_told(monkeypatch):
    """Its residual connection is left out."""

    def wrong(weights):
        result = weights[0].mean(dim=1)
        for one in weights[1:]:
            result = (one.mean(dim=1) + torch.eye(one.shape[-1])) / 2 @ result
        return result

    sentence = said(monkeypatch, "attention_rollout", wrong).misconception
    told = "where all numbers of `weights[0]` are doubled, the result doubles, which it should not"
    assert told in sentence


def test_where_something_is_to_be_drawn_that_is_not_what_is_told(monkeypatch):
    """The check has its own words for what is drawn without the generator."""

    def wrong(batch, num_patches, ratio, generator=None):
        return random_patch_mask(batch, num_patches, ratio)

    verdict = said(monkeypatch, "random_patch_mask", wrong)
    assert not verdict.passed and "drawn" not in (verdict.key or "")


def test_a_call_of_no_case_that_ends_in_an_error_is_not_called_plain(monkeypatch):
    """The block keeps the mask of its first call, and a longer sequence comes after it."""

    class Keeping(DecoderBlock):
        def forward(self, x, memory, memory_mask=None):
            if not hasattr(self, "mask"):
                self.mask = causal_mask(x.shape[1])
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(encoder_decoder, "causal_mask", lambda L: self.mask)
                return super().forward(x, memory, memory_mask)

    found = said(monkeypatch, "DecoderBlock", Keeping)
    assert found.key.startswith("plain.error") and "in the plain case" not in found.misconception


def test_calls_that_end_in_an_error_are_among_those_that_go_wrong(monkeypatch):
    """A condition that holds of them too is told of all, and of none of them alone."""

    class Wrong(SelfAttention):
        def forward(self, x, mask=None):
            output, weights = super().forward(x, mask)
            if mask is None:
                return output, weights
            return output * 0.37 if mask.dim() > 1 else output[7], weights

    sentence = said(monkeypatch, "SelfAttention", Wrong).misconception
    assert re.search(r"wrong or ends in an error in 19 of the \d+ calls where `mask`", sentence)
    assert "ends in an error in the one call" not in sentence


def test_how_numbers_lie_in_memory_is_no_condition_where_it_makes_no_difference(monkeypatch):
    """Here the sum of the numbers does, which only these calls have."""
    sums = set()

    def wrong(x, num_heads):
        about = round(float(x.sum()), 3)
        if not x.is_contiguous():
            sums.add(about)
        return split_heads(x, num_heads) * (0.37 if about in sums else 1)

    assert "memory" not in said(monkeypatch, "split_heads", wrong).misconception


def test_an_error_of_the_check_s_own_is_no_refusal_of_the_code():
    log = Log()
    log.events.append(Event("raised", "ValueError", account="too many", reason=Reason.ERROR))
    calls = where.Calls(find("softmax"), [], [], lambda request: None)
    students = Students(log)
    (told,) = plain.plain(find("softmax"), students, students, lambda: calls)
    assert "refuses" not in told.finding.sentence


def test_a_key_of_several_numbers_is_a_key_and_no_sentence():
    event = Event("raised", "KeyError", fields={"message": "(0.61, -0.08)"})
    assert errors.error_in_words([event])[1].startswith("The key (0.61, -0.08) is looked up")
    assert not errors.is_written("KeyError", "(0.61, -0.08)")


def test_what_moves_by_little_is_not_said_not_to_depend(monkeypatch):
    """The whole result is far too small, and so is each of its changes."""

    def wrong(hidden, mask):
        weight = mask.to(hidden.dtype).unsqueeze(-1)
        mean = (hidden * weight).sum(dim=1) / weight.sum(dim=1).clamp(min=1)
        return mean / (mean.square().sum(dim=-1, keepdim=True) + 1e-8).sqrt()

    assert "does not depend" not in said(monkeypatch, "mean_pool", wrong).misconception


def test_of_a_mask_of_other_kind_no_opposite_is_told(monkeypatch):
    """That it is not empty holds of masks of True and False as well."""

    def wrong(hidden, mask):
        return mean_pool(hidden, mask) * (1 if mask.dtype == torch.bool else 0.37)

    assert "not empty" not in said(monkeypatch, "mean_pool", wrong).misconception


def test_an_argument_without_a_name_is_no_condition():
    given = {"0": torch.zeros(2), "1": None, "length": 3}
    asked = findings.Asked(CallRequest("f", (), {}), Reply(), findings.State())
    told = where.Judged(asked, given, 1, "").traits()
    assert any("`length`" in words for words in told)
    assert not any("`0`" in words or "`1`" in words for words in told)


def test_of_one_number_nobody_tells_float32_from_an_epsilon():
    got, want = torch.tensor(1.00000008, dtype=torch.float64), torch.ones((), dtype=torch.float64)
    log = Log()
    event = Event("value", got, want, rtol=1e-10, atol=1e-12, variant="float64", account="off")
    log.events.append(replace(event, reason=Reason.VALUES))
    kinds = {one.kind for one in (*set_aside(log, "loss").faults, *set_aside(log, "loss").suspects)}
    assert kinds == {"digits"}
