"""What is compared, and what a learner is told about it."""

import math
import re

import pytest
import torch

from autograder.checking import Ask, Failure, agrees, close, raises, require, same
from autograder.checking.comparing import Closeness, brief, current_draw
from autograder.checking.draw import Draw
from autograder.remote.subject import Raised
from tests.checking.samples import Scale, answering, pair, subject

X = torch.tensor([[1.0, -2.0, 3.0], [0.5, 4.0, -1.0]])


@pytest.mark.parametrize(
    ("got", "want", "words"),
    [
        (torch.zeros(2, 3), torch.zeros(3, 2), "should have shape [3, 2]; it has [2, 3]."),
        (
            torch.zeros(2, dtype=torch.float64),
            torch.zeros(2),
            "should have dtype torch.float32; it has torch.float64.",
        ),
        (
            torch.tensor([[1.0, 2.0], [3.0, 5.0]]),
            torch.tensor([[1.0, 2.0], [4.0, 4.0]]),
            "expected 4 at [1, 0], got 3 (2 of 4 numbers differ).",
        ),
        (torch.tensor(1.5), torch.tensor(2.5), "expected 2.5, got 1.5."),
        (torch.tensor([math.nan]), torch.tensor([0.0]), "expected 0 at [0], got nan."),
        (torch.tensor([math.nan]), torch.tensor([-0.0]), "expected 0 at [0], got nan."),
        (torch.tensor([math.nan]), torch.tensor([math.nan]), "expected nan at [0], got nan."),
        (torch.tensor([math.inf]), torch.tensor([-math.inf]), "expected -inf at [0], got inf."),
        (None, torch.zeros(2), "should be a tensor of shape [2]; it is"),
        ([1.0, 2.0], torch.zeros(2), "it is a list of 2"),
        (1.5, 2.5, "expected 2.5, got 1.5."),
        ("2.5", 2.5, "should be a number; it is a str: '2.5'."),
        (True, 1.0, "should be a number; it is a bool: True."),
        (math.nan, 1.0, "expected 1, got nan."),
        (2.0, 2, "should be a whole number; it is a float: 2."),
        (True, 1, "should be a whole number"),
        ("a", "b", "expected 'b', got 'a'."),
        ({"a": 1}, {"b": 1}, "has other names: missing ['b'], unexpected ['a']."),
        (3, {"b": 1}, "should return a dict; it returned an int: 3."),
        ((1.0, 2.0), (1.0, 3.0), "value 1: expected 3, got 2."),
        ((1.0,), (1.0, 2.0), "should return 2 values; it returned a tuple of 1."),
        ([1.0, 2.0], (1.0, 2.0), "should return a tuple; it returned a list of 2."),
        ((1.0, 2.0), [1.0, 2.0], "should return a list; it returned a tuple of 2."),
        ((1.0, (2.0, 5.0)), (1.0, (2.0, 3.0)), "value 1, value 1: expected 3, got 5."),
        ({"a": {"b": 1.0}}, {"a": {"b": 2.0}}, "a, b: expected 2, got 1."),
    ],
)
def test_the_first_difference_is_told(got, want, words):
    assert words in Closeness().difference(got, want)
    with pytest.raises(Failure) as failure:
        close(got, want, case="a case", call="f(x)")
    assert str(failure.value).startswith("a case: f(x) ")


@pytest.mark.parametrize(
    ("got", "want"),
    [
        (torch.tensor([1.0 + 1e-6]), torch.tensor([1.0])),
        (torch.tensor([math.inf, -math.inf]), torch.tensor([math.inf, -math.inf])),
        (torch.zeros(0, 3), torch.zeros(0, 3)),
        (torch.tensor(2.0), 2.0),
        (torch.tensor(2), 2),
        (2, 2.0),
        ({"a": (1.0, None)}, {"a": (1.0, None)}),
    ],
)
def test_what_agrees_is_not_a_difference(got, want):
    assert Closeness().difference(got, want) == ""


def test_nan_equals_nan_only_where_that_is_asked():
    nan = torch.tensor([math.nan])
    assert Closeness().difference(nan, nan)
    assert Closeness(nan_equal=True).difference(nan, nan) == ""
    assert Closeness(nan_equal=True).difference(math.nan, math.nan) == ""


def test_outputs_are_told_by_name():
    with pytest.raises(Failure, match=r"^f\(x\) weights: expected 3, got 2\.$"):
        close((1.0, 2.0), (1.0, 3.0), names=("output", "weights"), call="f(x)")
    with pytest.raises(Failure, match=r"should return 2 values \(output, weights\)"):
        close(1.0, (1.0, 3.0), names=("output", "weights"))


def test_axes_are_told_by_name_where_one_name_has_the_size():
    draw = Draw(0)
    want = draw.normal(L=5, D=8)
    draw.normal(S=7, E=8)
    token = current_draw.set(draw)
    try:
        assert (
            Closeness().difference(want.T, want) == "should have shape [L=5, 8]; it has [8, L=5]."
        )
    finally:
        current_draw.reset(token)


def test_same_allows_no_rounding():
    same(torch.tensor([0.1]), torch.tensor([0.1]))
    with pytest.raises(Failure):
        same(torch.tensor([0.1 + 1e-7]), torch.tensor([0.1]))


def test_require_says_the_sentence():
    require(True, "no")
    with pytest.raises(Failure, match="^yes$"):
        require(False, "yes")


def changes_its_input(x):
    x *= 2
    return x


def detaches(x):
    return 2 * x.detach()


def leaks_nan_gradients(x):
    return 2 * x + torch.where(x > 1e9, (x * 0).sqrt() / x.sub(x), 0.0)


def loses_float64(x):
    return (2 * x.float()).to(torch.float32)


def loses_precision(x):
    return (1e6 + 2 * x.float() - 1e6 if x.dtype == torch.float64 else 2 * x).to(x.dtype)


def wants_contiguous(x):
    return 2 * x.view(-1).view(x.shape)


def has_a_wrong_gradient(x):
    return x + x.detach()


@pytest.mark.parametrize(
    ("student", "words"),
    [
        (changes_its_input, "changes its input"),
        (detaches, "no gradient reaches input 0: somewhere the result is cut off"),
        (leaks_nan_gradients, "the gradient of input 0 is not finite"),
        (has_a_wrong_gradient, "the gradient of input 0 is wrong: expected"),
        (loses_float64, "should have dtype torch.float64; it has torch.float32"),
        (loses_precision, "expected"),
        (lambda x: x + 2, "expected"),
        (answering(None), "should be a tensor of shape [2, 3]; it is"),
    ],
)
def test_the_battery_catches(student, words):
    x = X + 0.1  # not exact in float32
    with pytest.raises(Failure) as failure:
        agrees(*pair(student, lambda x: 2 * x), x, case="a case")
    assert words in str(failure.value)
    assert str(failure.value).startswith("a case: ")


def test_the_battery_catches_a_crash_with_inputs_that_are_not_contiguous():
    with pytest.raises(Raised, match="view"):
        agrees(*pair(wants_contiguous, lambda x: 2 * x), X)
    agrees(*pair(wants_contiguous, lambda x: 2 * x), X, ask=Ask(contiguous=False))


@pytest.mark.parametrize(
    ("student", "left_out"),
    [
        (changes_its_input, ("unchanged", "gradients")),
        (detaches, ("gradients",)),
        (loses_float64, ("double",)),
    ],
)
def test_parts_of_the_battery_can_be_left_out(student, left_out):
    agrees(*pair(student, lambda x: 2 * x), X, ask=Ask(**dict.fromkeys(left_out, False)))


def test_the_battery_passes_other_right_code_and_returns_its_result():
    result = agrees(*pair(lambda x: x + x, lambda x: 2 * x), X)
    assert torch.equal(result, 2 * X)
    agrees(*pair(lambda n: n + n, lambda n: 2 * n), torch.tensor([1, 2]))
    agrees(*pair(lambda *, x: x + x, lambda *, x: 2 * x), x=X)
    agrees(*pair(lambda xs: xs[0] + xs[1], lambda xs: sum(xs)), [X, X])


def test_the_battery_checks_the_gradients_of_parameters():
    class Cut(Scale):
        def forward(self, x):
            return self.weight.detach() * x

    student, reference = (subject(kind)(3) for kind in (Scale, Scale))
    agrees(student, reference, X)
    student, reference = (subject(kind)(3) for kind in (Cut, Scale))
    with pytest.raises(Failure, match="no gradient reaches parameter weight"):
        agrees(student, reference, X)


def test_a_layer_is_in_float32_again_after_the_battery():
    student, reference = subject(Scale)(3), subject(Scale)(3)
    agrees(student, reference, X)
    assert student.parameters()["weight"].dtype == torch.float32


def refuses(x):
    raise ValueError(f"the sizes {x} and 4 differ")


def test_an_error_is_asked_for_by_type_and_words():
    raises(subject(refuses), ValueError, 10, says=("10", "4"))
    raises(subject(refuses), Exception, 10)
    with pytest.raises(Failure, match="should name 11 in its error; it says: the sizes 10 and"):
        raises(subject(refuses), ValueError, 10, says=("11", "4"))
    with pytest.raises(Failure, match="should raise TypeError; it raised ValueError: the sizes"):
        raises(subject(refuses), TypeError, 10)
    with pytest.raises(Failure, match="should raise ValueError; it returned an int: 3"):
        raises(subject(answering(3)), ValueError, 10)


@pytest.mark.parametrize(
    ("got", "want"),
    [
        (torch.tensor([1.0, 1.000001]), torch.tensor([1.0, 1.0])),
        (torch.tensor(1 / 3).double(), torch.tensor(1 / 3, dtype=torch.float64)),
        (0.1 + 0.2, 0.3),
        (1e4, 1e4 + 1e-9),
        (torch.tensor([2**24 + 1]), torch.tensor([2**24])),
    ],
)
def test_numbers_that_differ_are_printed_so_that_they_differ(got, want):
    told = Closeness(0.0, 0.0).difference(got, want)
    expected, came = re.search(r"expected (\S+?),?(?: at .*)?, got (\S+)", told).groups()
    assert float(expected) != float(came.rstrip("."))


def test_float64_is_named_where_it_decides():
    with pytest.raises(Failure, match="^in float64: ") as raised:
        agrees(*pair(loses_precision, lambda x: 2 * x), torch.tensor([1.1, 2.0]))
    expected, came = re.search(r"expected (\S+) at \[0\], got (\S+)", str(raised.value)).groups()
    assert expected != came


class Long(str):
    """A text that is too long to be written out."""

    def __repr__(self) -> str:
        raise AssertionError("written out as a whole")


def test_of_a_long_text_only_the_beginning_is_written_out():
    assert brief(Long("ab" * 40)) == "'" + "ab" * 28 + "..."
    assert brief("ab" * 10) == repr("ab" * 10)
