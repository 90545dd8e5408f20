"""Is the misconception named that was made, and none where none explains every answer?"""

import pytest
import torch
from torch import nn

from autograder.checking import find
from autograder.checking.events import Event
from autograder.diagnosis import diagnose, set_aside
from autograder.diagnosis import judge as judging
from autograder.diagnosis.candidates import SEEDS_KEPT
from autograder.diagnosis.judge import judge
from autograder.diagnosis.recording import live
from autograder.grading.course.journal import DRAWS
from autograder.remote.calling import Home
from autograder.source.changes import StaleMisconception, applied, changes_of, composed
from autograder.source.sources import branched, definition, packed, unpacked
from solutions.attention_layer import AttentionLayer, attend
from solutions.bahdanau import AttentionDecoder
from solutions.masked import masked_softmax
from solutions.real_encoder import convert_weights
from solutions.real_writer import RMSNorm, SwiGLU

SOURCE = '''\
def f(x, y):
    """Says x + 1."""
    z = x + 1  # x + 1
    if y:
        z = z * 2
    return z
'''


def verdict(thing, name, seed=2017):
    """The verdict on a solution."""
    return judge(name, Home({name: thing}), live(find(name)), seed)


def is_named(thing, name):
    """Whether a misconception is named: what is plainly true of the numbers is none."""
    return not (verdict(thing, name).key or "plain.").startswith("plain.")


def said(thing, name, seed=2017):
    """The sentence on a solution."""
    return verdict(thing, name, seed).misconception


def restyled(name, style, changes, within=""):
    """An alternative with changes."""
    root = definition(find(name).module, name, style)
    where = within or name
    code = root.whole[where].code
    return root.built({where: applied(code, changes_of(code, changes, where))})


def changed(changes):
    return applied(SOURCE, changes_of(SOURCE, changes, "f"))


def test_a_change_is_found_however_it_is_set():
    assert "z = x - 1  # x + 1" in changed({"x+1": "x - 1"})
    assert "z = (x\n    )  # x" in changed({"x   +\n  1": "(x\n)"})
    assert changed({"z = z * 2": "z = -z\nz = z + 3"}).count("        z =") == 2


def test_changes_are_found_in_the_unchanged_code():
    assert "return y" in changed({"x + 1": "z * 2", "z = z * 2": "pass", "return z": "return y"})


@pytest.mark.parametrize("old", ["z", "x + 2", "", "# x + 1"])
def test_a_change_that_does_not_stand_there_once_is_stale(old):
    with pytest.raises(StaleMisconception, match="wanted once"):
        changed({old: "y"})


def test_a_reference_is_built_with_all_that_it_uses():
    root = definition("self_attention", "SelfAttention")
    assert list(root.whole)[-1] == "SelfAttention" and "softmax" in root.whole
    constant = "def softmax(scores, dim=-1):\n    return scores * 0 + 3\n"
    layer = root.built({"softmax": constant})(4, 3, 2)
    assert (layer(torch.ones(5, 4))[1] == 3).all()
    assert "def softmax" in root.source({"softmax": constant})
    assert "def scaled_dot_product_attention" in root.source({"softmax": constant})


def test_signatures_are_read_from_the_text():
    root = definition("self_attention", "SelfAttention")
    assert root.signature == ["embed_dim", "key_dim", "value_dim"]
    assert root.method("forward") == ["x", "mask"]
    assert definition("softmax", "softmax").signature == ["scores", "dim"]


def test_a_packed_text_does_not_read_as_one():
    text = "def softmax(scores):\n    return scores.exp() / scores.exp().sum()\n"
    assert b"softmax" not in packed(text) and unpacked(packed(text)) == text


def test_a_mistake_of_an_earlier_exercise_is_told_where_it_sits():
    wrong = restyled("SelfAttention", "einsum, zeros where nothing is allowed", {
        "/ self.scale": "/ self.scale**2"})  # fmt: skip
    sentence = said(wrong, "SelfAttention")
    assert sentence.startswith("As with a mistake in the ")
    assert " inside SelfAttention, or in how it is used: " in sentence


def test_two_mistakes_at_once_are_both_named():
    wrong = restyled(
        "SelfAttention",
        "einsum, zeros where nothing is allowed",
        {"/ self.scale": "", "(self.W_q, self.W_k, self.W_v)": "(self.W_k, self.W_q, self.W_v)"},
    )
    assert verdict(wrong, "SelfAttention").key == "not-scaled + query-key-swapped"
    sentence = said(wrong, "SelfAttention")
    assert sentence.startswith(f"{diagnose.TOGETHER}The scores are not divided by sqrt(key_dim).")


def test_a_slip_that_nobody_foresaw_is_told_with_its_kind_and_place(monkeypatch):
    without(monkeypatch, "SelfAttention", "keys-as-values")
    style = "einsum, zeros where nothing is allowed"
    layers = {"(self.W_q, self.W_k, self.W_v)": "(self.W_q, self.W_k, self.W_k)"}
    sentence = said(restyled("SelfAttention", style, layers), "SelfAttention")
    assert "as if `W_k` stood where `W_v` belongs" in sentence


def test_an_own_mistake_and_one_of_an_earlier_exercise_are_both_named(monkeypatch):
    without(monkeypatch, "MultiHeadAttention", "mask-turned-around")
    root = definition("multi_head", "MultiHeadAttention")
    changes = {
        "self.W_o(merge_heads(heads))": "merge_heads(heads)",
        "value, mask)": "value, None if mask is None else ~mask)",
    }
    code = applied(root.code, changes_of(root.code, changes, root.name))
    wrong = root.built({root.name: code})
    sentence = said(wrong, "MultiHeadAttention")
    assert sentence.startswith(f"{diagnose.TOGETHER}W_o is not applied")
    assert " And: As with a mistake in the " in sentence


def test_two_mistakes_at_one_place_are_both_named():
    """Both change the same call, in different words of it."""

    def wrong(scores, mask=None, dim=-1):
        if mask is None:
            return scores.softmax(-1)
        return scores.softmax(-1).masked_fill(~mask, 0.0)

    assert verdict(wrong, "masked_softmax").key == "masked-after-softmax + softmax.dim-unused"


def test_two_mistakes_in_one_expression_are_both_named():
    """The one writes anew what the other changes a part of."""

    def wrong(query, key):
        squares = query.square().sum(-1)[..., :, None] + key.square().sum(-1)[..., None, :]
        return squares - query @ key.mT

    sentence = said(wrong, "distance_scores")
    assert "The sign is missing" in sentence
    assert "The cross term is there once only" in sentence


def test_a_missing_error_does_not_hide_a_misconception():
    def wrong(scores, sharpness):
        first = scores.argmax(dim=-1)
        if sharpness == 1:
            return torch.nn.functional.one_hot(first, scores.shape[-1]) + 0 * scores
        return torch.softmax(scores * (sharpness / (1 - sharpness)), dim=-1)

    sentence = said(wrong, "sharpen")
    assert sentence.startswith("At sharpness 1 only one of several")
    assert "outside of 0 to 1 was accepted" in sentence


def test_numbers_of_float32_only_are_told_whatever_made_them():
    def wrong(x, base=10000.0, start=0):
        if x.shape[-1] % 2:
            raise ValueError(f"{x.shape[-1]} is odd")
        place = torch.arange(start, start + x.shape[-2])[:, None]
        angle = place * base ** (-torch.arange(0, x.shape[-1], 2) / x.shape[-1])
        cos, sin, one, two = angle.cos(), angle.sin(), x[..., 0::2], x[..., 1::2]
        turned = torch.stack([one * cos - two * sin, one * sin + two * cos], -1)
        return turned.flatten(-2).to(x.dtype)

    assert said(wrong, "rotate_positions").startswith(
        "rotate_positions is only as exact as float32"
    )


def test_a_mistake_that_is_mended_in_one_case_is_named():
    """The wrong answers are all those of the misconception; the fully masked row is not."""

    def wrong(hidden, mask):
        first = hidden[:, 0] * mask.bool().any(dim=1, keepdim=True)
        return torch.nn.functional.normalize(first, dim=-1)

    assert said(wrong, "mean_pool").startswith("The first token's vector was taken")


def divides(error):
    """split_heads, with an error of its own for what does not divide."""

    def wrong(x, num_heads):
        if x.shape[-1] % num_heads:
            raise error
        return (
            x[..., : x.shape[-1] // num_heads * num_heads]
            .unflatten(-1, (num_heads, -1))
            .transpose(1, 2)
        )

    return wrong


@pytest.mark.parametrize(
    ("error", "beginning"),
    [
        (ValueError("does not divide"), "The error that split_heads raises does not name"),
        (AssertionError(), "split_heads ends with AssertionError where its contract says ValueE"),
    ],
)
def test_an_error_that_is_not_the_contracts_is_told(error, beginning):
    assert said(divides(error), "split_heads").startswith(beginning)


def test_who_refuses_too_much_is_named_whatever_the_error_says():
    """The words of an error are each one's own; what is refused is the same."""

    def one_side_open(scores, sharpness):
        if not 0 < sharpness <= 1:
            raise ValueError("no temperature belongs to that")
        if sharpness == 1:
            best = (scores == scores.amax(-1, keepdim=True)).to(scores.dtype)
            return best / best.sum(-1, keepdim=True)
        return torch.softmax(scores * sharpness / (1 - sharpness), -1)

    assert verdict(one_side_open, "sharpen").key == "zero-refused"


def test_what_fails_a_property_in_another_way_is_another_mistake():
    """Both leave a matrix wrong in every case; it is not the same one."""
    changes = {
        "layer.W_o.weight.copy_(mha.out_proj.weight)": "layer.W_o.weight.copy_(layer.W_q.weight)",
    }
    root = definition("multi_head", "from_torch")
    code = applied(root.code, changes_of(root.code, changes, root.name))
    found = verdict(root.built({root.name: code}), "from_torch")
    assert found.key is None and "W_o.weight is not what the source has" in found.message


def test_right_in_all_but_one_case_is_enough_to_be_silent():
    """Two misconceptions that agree in the first cases: one of them is not said for the other."""

    def wrong(scores, dim=-1):
        if scores.dim() < 3:
            return scores.exp() / scores.exp().sum(dim, keepdim=True)
        return scores * 3

    assert not is_named(wrong, "softmax")


def test_what_is_not_refused_is_told(monkeypatch):
    without(monkeypatch, "warmup_rate", "lifted-to-one", "negative-accepted", "step-zero")

    def wrong(step, embed_dim, warmup_steps=4000):
        return embed_dim**-0.5 * min(abs(step or 1) ** -0.5, step * warmup_steps**-1.5)

    sentence = said(wrong, "warmup_rate")
    assert sentence.startswith("warmup_rate accepts what its contract refuses with a ValueError")


def test_what_is_refused_and_allowed_is_told(monkeypatch):
    without(monkeypatch, "weighted_average", "zero-refused")

    def wrong(weights, values):
        if (weights <= 0).any():
            raise ValueError("a weight is not positive")
        return weights / weights.sum() @ values

    assert said(wrong, "weighted_average").startswith(
        "weighted_average refuses what its contract allows: it raises ValueError"
    )


def test_an_error_alone_names_nothing():
    assert not is_named(lambda *sizes: 1 / 0, "LearnedPositions")
    assert not is_named(lambda scores, dim=-1: scores.nothing, "softmax")


def test_what_fails_after_the_first_failure_changes_no_account():
    def wrong(scores, dim=-1):
        if scores.dim() == 1:
            raise ValueError("later")
        return scores * 0

    verdict = judge("softmax", Home({"softmax": wrong}), live(find("softmax")))
    assert verdict.message.startswith("softmax(scores [L=5, S=7]) expected")


def test_an_argument_that_matters_in_one_pair_of_calls_is_not_said_to_be_unused():
    """At sharpness 1 other scores may well give the same weights."""

    def wrong(scores, sharpness):
        if not 0 <= sharpness <= 1:
            raise ValueError(f"sharpness is {sharpness}, wanted from 0 to 1")
        if sharpness == 1:
            first = scores.argmax(dim=-1)
            return torch.nn.functional.one_hot(first, scores.shape[-1]).to(scores) + 0 * scores
        return torch.softmax(scores * (sharpness / (1 - sharpness)), dim=-1) * 1.001

    assert not is_named(wrong, "sharpen")


def test_rounding_is_not_taken_for_a_dependence_on_memory():
    sentence = said(lambda query, key: torch.cdist(query, key), "distance_scores")
    assert sentence is None or "memory" not in sentence


def test_a_vanished_gradient_is_not_taken_for_an_input_that_is_not_used():
    def wrong(scores, dim=-1):
        exponentials = torch.exp(scores - 50)
        return exponentials / exponentials.sum(dim, keepdim=True)

    sentence = said(wrong, "softmax")
    assert sentence is None or "depend" not in sentence


STYLE = "einsum, zeros where nothing is allowed"
FOUND = {
    "learns with parameters that its contract does not name: W_v.bias": (
        "SelfAttention",
        lambda: restyled(
            "SelfAttention",
            STYLE,
            {"nn.Linear(embed_dim, value_dim, bias=False)": "nn.Linear(embed_dim, value_dim)"},
        ),
    ),
    "the examples of a batch are not independent": (
        "SelfAttention",
        lambda: restyled(
            "SelfAttention",
            STYLE,
            {"(layer(x) for": "(layer(x + x.mean(0) if x.dim() > 2 else x) for"},
        ),
    ),
    "needs its inputs in one piece of memory": (
        "distance_scores",
        lambda: lambda query, key: -torch.cdist(query.view(-1).view(query.shape), key) ** 2,
    ),
    "cut off from `key`": (
        "distance_scores",
        lambda: lambda query, key: -torch.cdist(query, key.detach()) ** 2,
    ),
    "does not depend on `key` at all": (
        "distance_scores",
        lambda: lambda query, key: -torch.cdist(query, torch.ones(key.shape)) ** 2,
    ),
    "gives float32 where it is given float64": (
        "distance_scores",
        lambda: lambda query, key: (-torch.cdist(query, key) ** 2).float(),
    ),
    "has an axis of size 1 too many": (
        "cosine_scores",
        lambda: lambda query, key: (query @ key.mT).unsqueeze(0),
    ),
    "in another order than its contract: the second, then the first": (
        "attend",
        lambda: lambda query, inputs: attend(query, inputs)[::-1],
    ),
    "not divided by sqrt(D). The longer the vectors, the larger the dot products, and the more one "
    "input takes all of the weight. And: attend returns its 2 values in another order": (
        "attend",
        lambda: lambda query, inputs: attend(query * len(query) ** 0.5, inputs)[::-1],
    ),
    "attend returns one value alone, the first; its contract says 2": (
        "attend",
        lambda: lambda query, inputs: attend(query, inputs)[0],
    ),
    "weighted_average writes into `weights`, which belongs to the caller": (
        "weighted_average",
        lambda: lambda weights, values: weights.div_(weights.sum()) @ values,
    ),
    "`mask` may be left out and is None then, and masked_softmax uses it": (
        "masked_softmax",
        lambda: lambda scores, mask=None, dim=-1: masked_softmax(scores, mask | False, dim),
    ),
    "works where `query` and `key` have 3 axes, and ends in an error with 2 or 4": (
        "scaled_dot_product_scores",
        lambda: lambda query, key: torch.bmm(query, key.mT) / query.shape[-1] ** 0.5,
    ),
    "has other parameters than its contract names: there is no parameter W_o.bias": (
        "MultiHeadAttention",
        lambda: restyled(
            "MultiHeadAttention", "", {
                "self.W_o = nn.Linear(embed_dim, embed_dim)":
                "self.W_o = nn.Linear(embed_dim, embed_dim, bias=False)",
            },
        ),
    ),
}  # fmt: skip


@pytest.mark.parametrize("words", FOUND)
def test_what_is_wrong_whatever_the_numbers_is_told(words):
    name, make = FOUND[words]
    assert words in said(make(), name)


def test_a_shape_that_is_nearly_right_by_chance_is_not_told():
    """One query and one key: then only an axis seems to be missing."""

    def pair_by_pair(query, key):
        return torch.nn.functional.cosine_similarity(query, key, dim=-1)

    sentence = said(pair_by_pair, "cosine_scores")
    assert "axis" not in (sentence or "")


def test_a_function_with_tensors_bound_to_it_is_an_argument_like_others():
    last = "return F.normalize(mean, dim=-1)"
    wrong = restyled(
        "embed", "padded by hand", {last: "return F.normalize(mean, dim=-1).cumsum(0)"}
    )
    assert not judge("embed", Home({"embed": wrong}), live(find("embed")), 2017).passed


def test_the_dtypes_of_tensors_of_different_names_are_not_compared():
    must = {'if "embeddings.position_ids" in left:': "if True:"}
    sentence = said(restyled("convert_weights", "every name written out", must), "convert_weights")
    assert "dtype" not in (sentence or "")


def test_a_mistake_is_named_beside_an_error():
    def wrong(query, keys, values):
        matches = (keys == query).all(dim=-1)
        if len(keys) == 1:
            raise RuntimeError("no mean of one")
        if not matches.any():
            return torch.zeros(values.shape[1], dtype=values.dtype)
        return values[matches].mean(dim=0)

    sentence = said(wrong, "exact_lookup")
    assert sentence.startswith("The values of equal keys are averaged.")
    assert sentence.endswith("RuntimeError: no mean of one")


def test_an_error_of_a_dictionary_is_not_taken_for_a_refusal():
    def wrong(query, keys, values, similarity):
        weights = torch.stack([torch.as_tensor(similarity(query, key)) for key in keys])
        if keys[0] not in {"a": 1} and isinstance(keys[0], str):
            raise KeyError(0)
        return weights / weights.sum() @ values, weights / weights.sum()

    assert "refuses what" not in (said(wrong, "soft_lookup") or "")


def test_a_result_of_another_type_is_told():
    def wrong(step, embed_dim, warmup_steps=4000):
        if step < 1:
            raise ValueError("step counts from 1")
        return torch.tensor(embed_dim**-0.5 * min(step**-0.5, step * warmup_steps**-1.5))

    assert said(wrong, "warmup_rate").startswith(
        "warmup_rate gives a tensor where its contract says float"
    )


def test_two_mistakes_are_named_beside_a_fault_that_speaks_for_itself():
    """Python's numbers alone make float32 of it."""

    def wrong(logits, targets, smoothing=0.1, pad_id=0):
        log_probs = logits.log_softmax(-1)
        pad = targets == pad_id
        right = torch.nn.functional.one_hot(targets.masked_fill(pad, 0), logits.shape[-1]).bool()
        shares = torch.where(right, 1 - smoothing, smoothing / (logits.shape[-1] - 1))
        losses = -(shares.to(log_probs.dtype) * log_probs).sum(-1)
        return losses.masked_fill(pad, 0).mean()

    sentence = said(wrong, "label_smoothed_loss")
    assert sentence.startswith(
        f"{diagnose.TOGETHER}The smoothing is shared by the V - 1 wrong tokens only."
    )
    assert " And: The loss at padding is zero, but the sum is divided by the" in sentence
    assert " And: label_smoothed_loss is only as exact as float32" in sentence


def test_a_slip_in_what_a_mistake_writes_is_not_told_under_the_mistake_s_name():
    """It gave just these answers: finished hypotheses apart, and another beam among those."""

    def wrong(step, bos_id, eos_id, beam_width, max_length, length_penalty=0.0):
        beam = [([], 0.0)]
        for _ in range(max_length):
            candidates = [one for one in beam if eos_id in one[0]]
            going_on = [one for one in beam if eos_id not in one[0]]
            if not going_on:
                break
            prefixes = torch.tensor([[bos_id, *tokens] for tokens, _ in going_on])
            rows = step(prefixes).log_softmax(-1).tolist()
            for (tokens, total), row in zip(going_on, rows, strict=True):
                candidates += [([*tokens, token], total + more) for token, more in enumerate(row)]
            candidates.sort(key=lambda one: one[1] / len(one[0]), reverse=True)
            beam = candidates[:beam_width]
        best = max(beam, key=lambda one: one[1] / ((5 + len(one[0])) / 6) ** length_penalty)
        return torch.tensor(best[0]), best[1]

    assert not is_named(wrong, "beam_search")


def test_faults_are_told_where_a_check_asks_less_of_wrong_code():
    """How much memory is held is not asked of what has failed."""

    def wrong(query, key):
        squares = query.square().sum(-1)[..., :, None] + key.square().sum(-1)[..., None, :]
        return (2 * query @ key.mT - squares).float().to(query.dtype)

    assert said(wrong, "distance_scores").startswith("distance_scores is only as exact as float32")


def test_the_answers_of_all_draws_of_a_class_are_kept():
    assert SEEDS_KEPT >= DRAWS


def test_a_mistake_in_one_branch_is_named_with_the_option():
    """The residual connection is missing in pre-norm, and there in the feed-forward alone."""
    root = definition("transformer_block", "EncoderBlock")
    wrong = branched(
        root.code,
        root.code.replace("x + self.dropout(self.feed_forward", "self.dropout(self.feed_forward"),
        "self.norm_first",
    )
    sentence = said(root.built({"EncoderBlock": wrong}), "EncoderBlock")
    assert sentence.startswith("With norm_first=True: Only the attention has a residual")


def test_options_are_arguments_that_may_be_left_out():
    def conditions(module, name):
        return [condition for condition, _ in definition(module, name).options]

    both = ["self.norm_first", "not self.norm_first", "mask is not None", "mask is None"]
    assert conditions("transformer_block", "EncoderBlock") == both
    assert conditions("softmax", "softmax") == []


def test_what_changes_more_than_the_function_has_no_branches():
    with pytest.raises(LookupError):
        branched("def f(x):\n    return x", "def f(x, y):\n    return y", "x")


def test_an_argument_that_makes_a_difference_elsewhere_is_not_said_to_make_none():
    """In the one pair of calls that differ in it alone, rounding makes both answers zeros."""

    def wrong(query, keys, values):
        equal = ((keys * query).sum(-1) - (query * query).sum()).abs() < 1e-9
        return values[equal & (keys[:, 0] > 0)].sum(dim=0)

    assert "makes no difference" not in (said(wrong, "exact_lookup") or "")


def test_a_finding_stands_over_a_case_that_it_explains():
    def wrong(query, inputs):
        scores = [float(one @ query) / len(query) ** 0.5 for one in inputs]
        weights = torch.tensor(scores).softmax(dim=0)
        return weights @ inputs.float(), weights

    torch.default_generator.manual_seed(2017)
    verdict = judge("attend", Home({"attend": wrong}), live(find("attend")), 2017)
    assert verdict.key == "fact.dtype" and verdict.message.startswith("in float64")
    assert "Something else is wrong, too" in verdict.misconception


def test_what_gives_most_of_the_wrong_numbers_is_named(monkeypatch):
    some = [one for one in diagnose.STRATEGIES if not one.find.__name__.startswith("_slips")]
    monkeypatch.setattr(diagnose, "STRATEGIES", tuple(some))

    def wrong(hidden, mask):
        first = hidden[:, 0] * mask[:, :1]
        return torch.nn.functional.normalize(first, dim=-1)

    sentence = said(wrong, "mean_pool")
    assert sentence.startswith("The first token's vector was taken")
    assert "Something else" not in sentence  # where the mask has holes, both are wrong


def test_one_word_changed_in_two_ways_is_no_pair_of_mistakes():
    """`not True` would be another mistake than either of them."""
    codes = {"f": SOURCE}
    negated, fixed = (changes_of(SOURCE, {"if y": new}, "f") for new in ("if not y", "if True"))
    assert composed(codes, negated, fixed) is composed(codes, fixed, negated) is None
    other = changes_of(SOURCE, {"return z": "return -z"}, "f")
    assert composed(codes, negated, other) == (*negated, *other)
    alike = changes_of(SOURCE, {"if y": "if True", "return z": "return -z"}, "f")
    assert composed(codes, alike, fixed) is None


def without(monkeypatch, name, *keys):
    """The exercise as if nobody knew these misconceptions."""
    exercise = find(name)
    left = [one for one in exercise.misconceptions if one.key not in keys]
    assert len(left) < len(exercise.misconceptions)
    monkeypatch.setattr(exercise, "misconceptions", left)
    monkeypatch.setattr(exercise, "candidates", {})


def test_always_and_never_are_not_said_of_one_code(monkeypatch):
    without(monkeypatch, "EncoderBlock", "norm-first-inverted")
    wrong = restyled("EncoderBlock", "", {"self.norm_first = norm_first":
                                          "self.norm_first = not norm_first"})  # fmt: skip
    key = verdict(wrong, "EncoderBlock").key
    assert "norm-first-unused" not in key and "always-pre-norm" not in key


def test_nan_alone_does_not_tell_which_mistake_of_an_earlier_exercise_it_is(monkeypatch):
    """Nothing shows that large scores overflow; NaN of an empty row comes from there, too."""
    without(monkeypatch, "AdditiveAttention", "empty-row-nan")
    wrong = restyled("AdditiveAttention", "einsum and nan_to_num", {".nan_to_num(0.0)": ""})
    key = verdict(wrong, "AdditiveAttention").key
    assert key.startswith("plain.") and "nan" in key


def test_an_argument_that_makes_no_difference_explains_nothing_where_it_is_not_given():
    def wrong(query, key, value, mask=None):
        weights = (query @ key.mT / 3).softmax(-1).roll(1, -1)
        return weights @ value, weights.clone()

    found = verdict(wrong, "scaled_dot_product_attention")
    assert found.key == "fact.unused" and "mask [" in found.message
    assert "Something else is wrong, too" in found.misconception


def test_what_was_run_for_one_student_is_not_run_for_the_next(monkeypatch):
    def wrong(query, inputs):
        weights = (inputs @ query / len(query) ** 0.5).softmax(dim=0)
        return (weights @ inputs).cumsum(0).sqrt(), weights

    monkeypatch.setattr(find("attend"), "candidates", {})
    runs = []
    once = judging._imitate
    monkeypatch.setattr(judging, "_imitate", lambda *given: (runs.append(given), once(*given)))
    first, needed = verdict(wrong, "attend"), len(runs)
    assert first.key.startswith("plain.") and needed > 20
    assert verdict(lambda *given: wrong(*given), "attend").key == first.key
    assert len(runs) == needed


def test_a_smaller_mistake_is_not_given_the_name_of_a_larger_one(monkeypatch):
    """Equal by the dot product explains what goes wrong, and would go wrong elsewhere, too."""
    without(monkeypatch, "exact_lookup", "with-tolerance")
    wrong = restyled("exact_lookup", "", {"(keys == query)": "torch.isclose(keys, query)"})
    assert verdict(wrong, "exact_lookup").key == "slip.nearly-equal"


def test_a_misconception_is_named_though_one_case_of_it_is_mended():
    """Where nothing may be attended to, this one gives what is wanted, by a line of its own."""

    def wrong(scores, mask=None, dim=-1):
        if mask is None:
            return masked_softmax(scores, None, dim)
        mask = mask.broadcast_to(scores.shape)
        weights = masked_softmax(scores.masked_fill(~mask, 0.0), None, dim)
        return torch.where(mask.any(dim=dim, keepdim=True), weights, 0.0)

    assert verdict(wrong, "masked_softmax").key == "masked-score-zero"


def test_what_does_not_hold_on_varied_calls_is_not_named():
    """The first sentence of the check has no padding: its mask seems not to be used."""
    root = definition("encoder_decoder", "CrossAttention")
    old = "memory_mask[:, None, None, :]"
    assert root.code.count(old) == 1
    wrong = root.built({root.name: root.code.replace(old, "memory_mask[:1, None, None, :]")})
    assert "mask-unused" not in (verdict(wrong, root.name).key or "")


def test_a_mask_that_is_wrong_at_few_places_is_not_named_after_one_that_is_so_at_more():
    """True and False can be wrong in one way only: that tells nothing of why they are."""

    def two_before(length, past_length=0):
        query = torch.arange(length)[:, None] + past_length
        key = torch.arange(past_length + length)
        return (key <= query) & (key >= query - 1)

    assert not is_named(two_before, "causal_mask")


def test_digits_are_not_spoken_of_where_the_order_of_results_hides_them():
    def unscaled(query, inputs):
        weights = torch.softmax(inputs @ query, dim=0)
        return weights, weights @ inputs

    assert verdict(unscaled, "attend").key == "not-scaled + fault.in_order"


def test_a_misconception_in_one_of_two_results_is_named():
    def apart(query, inputs):
        output, _ = attend(query, inputs)
        return output, torch.softmax(inputs @ query, dim=0)

    found = verdict(apart, "attend")
    assert found.key == "not-scaled"
    assert found.misconception.startswith("In `weights` alone of what is returned: The scores are")


def test_an_axis_that_is_counted_from_the_front_in_two_places_is_a_slip(monkeypatch):
    without(monkeypatch, "cosine_scores", "second-axis")

    def counted(query, key):
        normalize = torch.nn.functional.normalize
        return normalize(query, dim=1) @ normalize(key, dim=1).mT

    assert verdict(counted, "cosine_scores").key == "slip.axis"


def test_what_is_not_refused_is_told_beside_a_fact():
    def of_numbers(query, keys, values, similarity):
        shares = [float(similarity(query, key)) for key in keys]
        weights = torch.tensor(shares, dtype=values.dtype) / sum(shares)
        return weights @ values, weights

    assert verdict(of_numbers, "soft_lookup").key == "fact.cut_off + fault.asked"


def emptied(state_dict):
    """A new dictionary is made, and what is in the old one goes."""
    given = dict(state_dict)
    state_dict.clear()
    return convert_weights(given)


def around_the_block():
    second = {"x + self.dropout(self": "given + self.dropout(self"}
    return restyled(
        "EncoderBlock", "", {"seen = self.norm1": "given = x\nseen = self.norm1"} | second
    )


@pytest.mark.parametrize(
    ("name", "wrong", "key", "true", "false"),
    [
        ("convert_weights", lambda: emptied, "changes-input", "taken out", "Make a new"),
        ("EncoderBlock", around_the_block, "outer-residual", "first half", "network was given"),
    ],
)
def test_a_sentence_is_true_of_all_answers_that_get_it(name, wrong, key, true, false):
    """The same answers come of other code than that of the misconception."""
    found = verdict(wrong(), name)
    assert found.key == key
    assert true in found.misconception and false not in found.misconception


class Outside(nn.Module):
    """torch's own deviation has another slope than the root of a variance, where that has none."""

    def __init__(self, embed_dim, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(embed_dim))
        self.bias = nn.Parameter(torch.zeros(embed_dim))
        self.eps = eps

    def forward(self, x):
        deviation = x.std(-1, unbiased=False, keepdim=True)
        return self.weight * (x - x.mean(-1, keepdim=True)) / (deviation + self.eps) + self.bias


def test_a_misconception_without_a_slope_is_named_whatever_slope_there_is():
    assert verdict(Outside, "LayerNorm").key == "epsilon-outside"


class InFloat32(RMSNorm):
    def forward(self, x):
        return super().forward(x.float()).to(x.dtype)


def test_no_epsilon_is_spoken_of_where_digits_are_those_of_float32():
    """Row by row the errors have one sign, as those of an epsilon have."""
    assert verdict(InFloat32, "RMSNorm").key == "fault.float64"


def test_where_digits_have_several_causes_all_are_said():
    event = Event(
        "value",
        got=torch.tensor([1.0, 2.0, 3.0, 4.0]).double() * (1 + 2e-6 * torch.tensor([1, -1, 1, -1])),
        want=torch.tensor([1.0, 2.0, 3.0, 4.0]).double(),
    )
    sentence, kind = set_aside._inexact(event, "f")
    assert kind == "digits" and "in float32" in sentence and "an epsilon" in sentence


def test_an_example_alone_is_told_apart_from_one_that_others_have_changed(monkeypatch):
    without(monkeypatch, "scaled_dot_product_attention", "second-axis")
    without(monkeypatch, "softmax", "second-dimension")
    monkeypatch.setattr(find("AttentionLayer"), "candidates", {})

    class AxisFromTheFront(AttentionLayer):
        def forward(self, queries, inputs):
            scores = queries @ self.W_k(inputs).mT / queries.shape[-1] ** 0.5
            weights = scores.softmax(dim=1)
            return weights @ self.W_v(inputs), weights

    found = verdict(AxisFromTheFront, "AttentionLayer")
    assert found.key == "fact.batch"
    assert "the number of axes is" in found.misconception
    assert "not independent" not in found.misconception


def test_two_mistakes_that_undo_each_other_are_not_named_where_one_slip_explains_it(monkeypatch):
    """`silu` on the other vector is neither "both are activated" nor "none is"."""
    exercise = find("SwiGLU")
    keys = ("both-activated", "no-activation")
    left = [one for one in exercise.misconceptions if one.key in keys]
    monkeypatch.setattr(exercise, "misconceptions", left)
    monkeypatch.setattr(exercise, "candidates", {})

    class Wrong(SwiGLU):
        def forward(self, x):
            return self.W_down(self.W_gate(x) * nn.functional.silu(self.W_up(x)))

    assert verdict(Wrong, "SwiGLU").key.startswith("slip.")


@pytest.mark.parametrize("small", [1e-8, 1e-7])
def test_a_small_number_of_another_size_is_not_told_as_float32(small):
    """What is known adds another one: the digits that are left over are the small number's."""

    def wrong(weights, values):
        if (weights < 0).any() or weights.sum() == 0:
            raise ValueError("no average")
        return weights @ values / (weights.sum() + small)

    assert verdict(wrong, "weighted_average").key == "zeros-hidden"


def test_what_an_earlier_call_has_computed_is_told_where_a_gradient_goes_back_to_it():
    """The projected keys are kept, as for a source that stays the same."""

    class Wrong(AttentionDecoder):
        kept = None

        def forward(self, previous, state, annotations, mask=None):
            if self.kept is None or self.kept.shape[:2] != annotations.shape[:2]:
                self.kept = self.attention.W_h(annotations)
            hidden = torch.tanh(self.attention.W_s(state).unsqueeze(1) + self.kept)
            scores = self.attention.v(hidden).squeeze(-1)
            allowed = torch.ones_like(scores, dtype=torch.bool) if mask is None else mask
            weights = masked_softmax(scores, allowed)
            context = (weights.unsqueeze(-1) * annotations).sum(1)
            embedded = self.embedding(previous)
            state = self.rnn(torch.cat([embedded, context], dim=-1), state)
            return self.output(torch.cat([state, context, embedded], dim=-1)), state, weights

    found = verdict(Wrong, "AttentionDecoder")
    assert "something is kept from one call to the next" in found.misconception
    assert "backward() through the AttentionDecoder's forward" in found.message
