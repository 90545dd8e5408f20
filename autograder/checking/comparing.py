"""Comparisons that end in one readable sentence."""

import contextlib
import contextvars
import functools
import math
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from autograder.checking.draw import Draw
from autograder.checking.events import Reason, current_log
from autograder.remote.calling import mapped, spread, tensors
from autograder.remote.subject import Raised, Subject
from autograder.remote.values import Function, Ref, pairs

FLOATS = (torch.float32, torch.float64)
LOOKED_AT = {"weights", "cross_weights"}  # results whose gradient no contract promises

current_draw: contextvars.ContextVar[Draw | None] = contextvars.ContextVar("draw", default=None)


class Failure(Exception):
    """The check does not hold; the text is the account for the learner."""


def require(condition: bool, sentence: str, how: str = "") -> None:
    """Fail with the sentence unless the condition holds.

    A property may fail in more than one way, as by too much and by too little: `how` tells them
    apart.
    """
    text = "" if condition else sentence
    _note("holds", bool(condition), text, reason=Reason.PROPERTY, fields={"how": how})


def of_kind(got: Any, wanted: type, case: str, call: str) -> None:
    """Fail unless a result is of that Python type, and of no other that is like it."""
    problem = ""
    if type(got) is not wanted:
        start = _prefix(case, call)
        problem = f"{start} should return a Python {wanted.__name__}; it returned {kind_of(got)}."
    fields = {"wanted": wanted.__name__, "got": type(got).__name__.lower()}
    _note("holds", not problem, problem, reason=Reason.KIND, fields=fields, case=case)


def _note(kind: str, got: Any, problem: str | Callable[[], str], **details: Any) -> None:
    """Note what was compared; a failure is raised where nobody notes it.

    What the problem is need not be said before somebody asks: of many failures one is shown.
    """
    log = current_log.get()
    failure = None
    if problem and (log is None or log.failure is None):
        problem = problem() if callable(problem) else problem
        failure = Failure(problem)
    if callable(problem):  # in its words are the names of this draw
        problem = functools.partial(contextvars.copy_context().run, problem)
    if log is not None:
        log.note(kind, got, failure=failure, account=problem, **details)
    elif failure:
        raise failure


def account_of(failure: Exception) -> str:
    """What failed, in words: of an error, also what was called and where it arose."""
    if isinstance(failure, Raised):
        where = f" ({failure.where})" if failure.where else ""
        return f"{failure.call} raised {failure.type}: {failure.message}{where}"
    return str(failure)


def _axis_name(size: int) -> str:
    """The name of the axes that were drawn with that size alone; empty if there is none."""
    draw = current_draw.get()
    name, *others = (draw.axes if draw else {}).get(size) or [""]
    return "" if others else name


def of_two_sizes(value: Any) -> frozenset[str]:
    """The names that axes of different sizes in a tree of tensors would have."""
    sizes = {size for _, tensor in tensors(value) for size in tensor.shape}
    names = [_axis_name(size) for size in sizes]
    return frozenset(name for name in names if names.count(name) > 1)


def shape_text(tensor: Tensor, unclear: Collection[str] = ()) -> str:
    """`[L=5, D=8]`: sizes with the names of the axes that were drawn with that size alone.

    Where a size comes twice, the name is that of one of them, and nobody knows of which; nor where
    two sizes have one name, in the tensor or, as an `unclear` one, in what stands beside it.
    """
    unclear = {*unclear, *of_two_sizes(tensor)}

    def axis(size: int) -> str:
        name = _axis_name(size)
        alone = name not in unclear and list(tensor.shape).count(size) == 1
        return f"{name}={size}" if name and alone else str(size)

    return "[" + ", ".join(axis(size) for size in tensor.shape) + "]"


def brief(value: Any, unclear: Collection[str] = ()) -> str:
    """A value in a few characters, without the names of axes that are unclear."""
    if isinstance(value, Tensor):
        if value.dim() == 0:
            return f"tensor({number(value.item())})"
        kind = "" if value.dtype == torch.float32 else f" {str(value.dtype).removeprefix('torch.')}"
        return f"{shape_text(value, unclear)}{kind}"
    if isinstance(value, Function):
        return f"{value.name}(...)" if value.build else value.name
    if isinstance(value, Ref):
        return "your layer"
    if isinstance(value, float):
        return number(value)
    if isinstance(value, list | tuple):
        items = ", ".join(brief(item, unclear) for item in value[:4])
        inside = items + (", ..." if len(value) > 4 else "")
        return f"[{inside}]" if isinstance(value, list) else f"({inside})"
    text = repr(value[:60] if isinstance(value, str) else value)  # which may be of any length
    return text if len(text) <= 60 else text[:57] + "..."


def number(value: Any) -> str:
    """Five significant digits of a float; anything else as it is."""
    if isinstance(value, bool) or not isinstance(value, float):
        return str(value)
    return f"{value + 0.0:.5g}"  # and no zero below zero


def distinct(one: Any, other: Any) -> tuple[str, str]:
    """Two numbers, with as many digits as it takes to see that they differ."""
    plain = number(one), number(other)
    if plain[0] != plain[1] or one == other:
        return plain
    texts = ((f"{one:.{digits}g}", f"{other:.{digits}g}") for digits in range(6, 18))
    return next((pair for pair in texts if pair[0] != pair[1]), plain)


def kind_of(value: Any) -> str:
    """What a result is, in the learner's words."""
    if isinstance(value, Tensor):
        return f"a tensor of shape {shape_text(value)}"
    if value is None:
        return "None (is a `return` missing?)"
    if isinstance(value, tuple | list):
        return f"a {type(value).__name__} of {len(value)}"
    if isinstance(value, Subject | Ref):
        return "an object"
    name = type(value).__name__
    return f"{'an' if name[0] in 'aeio' else 'a'} {name}: {brief(value)}"


def _prefix(case: str, call: str) -> str:
    return f"{case}: {call}" if case else call


def close(
    got: Any,
    want: Any,
    *,
    names: Sequence[str] | None = None,
    case: str = "",
    call: str | Callable[[], str] = "",
    rtol: float = 1e-4,
    atol: float = 1e-5,
    dtype: bool = True,
    variant: str = "",
) -> None:
    """Fail unless two trees of tensors and numbers agree within rtol and atol."""

    def problem() -> str:
        start = _prefix(case, call() if callable(call) else call) or "The result"
        return f"{start} {within.difference(got, want, names)}"

    within = Closeness(rtol, atol, dtype)
    right = within.agree(got, want)
    _note(
        "value",
        got,
        "" if right else problem,
        want=want,
        rtol=rtol,
        atol=atol,
        dtype=dtype,
        reason=None if right else reason_of(got, want, dtype),
        fields=_told(names, call),
        case=case,
        variant=variant,
    )


def _told(names: Sequence[str] | None, call: Any) -> dict[str, Any]:
    """What the parts of a result are called, and what it is where it is no call's."""
    of = call if isinstance(call, str) and "(" not in call else ""
    return {key: value for key, value in (("names", tuple(names or ())), ("of", of)) if value}


def reason_of(got: Any, want: Any, dtype: bool = True) -> Reason:
    """Why two trees that do not agree differ: by what is first found."""
    exactly = Closeness(0.0, 0.0, dtype)
    apart = (pair for _, *pair in pairs(got, want) if not exactly.alike(*pair))
    got, want = next(apart, (None, None))
    if isinstance(want, tuple | list):
        counted = isinstance(got, tuple | list) and len(got) == len(want)
        return Reason.SEQUENCE if counted else Reason.COUNT
    if isinstance(want, dict):
        return Reason.COUNT
    if not isinstance(want, Tensor):
        numbers = isinstance(want, int | float) and isinstance(got, int | float)
        return Reason.VALUES if numbers or type(got) is type(want) else Reason.KIND
    if not isinstance(got, Tensor):
        return Reason.KIND
    if got.shape != want.shape:
        return Reason.SHAPE
    if dtype and got.dtype != want.dtype:
        return Reason.DTYPE
    return Reason.VALUES


def finite(tensor: Tensor) -> bool:
    """Whether no number in it is NaN or infinite; one without memory has none to look at."""
    return not getattr(tensor, "is_meta", False) and bool(torch.isfinite(tensor).all())


def _apart(one: Tensor, other: Tensor) -> float:
    """The largest distance of two entries; NaN where there is one."""
    return float(torch.dist(one, other, math.inf))


def same(got: Any, want: Any, *, case: str = "", call: str = "", dtype: bool = True) -> None:
    """Fail unless the two are equal exactly."""
    close(got, want, case=case, call=call, rtol=0.0, atol=0.0, dtype=dtype)


@dataclass(frozen=True)
class Closeness:
    """How closely two trees of tensors and numbers must agree."""

    rtol: float = 1e-4
    atol: float = 1e-5
    dtype: bool = True
    nan_equal: bool = False

    def agree(self, got: Any, want: Any) -> bool:
        """Whether `difference` finds none, without the words."""
        return all(self.alike(mine, right) for _, mine, right in pairs(got, want))

    def surely_agree(self, got: Any, want: Any) -> bool:
        """The same of answers of any kind: those that cannot be compared do not agree."""
        try:
            return self.agree(got, want)
        except Exception:  # a number too large for a float, a tensor that torch cannot compare
            return False

    def alike(self, got: Any, want: Any) -> bool:
        """Whether a pair of two trees' leaves agrees; one of branches does not."""
        if isinstance(want, Tensor):
            return isinstance(got, Tensor) and self._tensors_agree(got, want)
        return not isinstance(want, tuple | list | dict) and not self._of_leaves(got, want)

    def difference(self, got: Any, want: Any, names: Sequence[str] | None = None) -> str:
        """Where `got` first differs from `want`, as the rest of a sentence; empty if nowhere."""
        for path, mine, right in pairs(got, want):
            parts = names if not path and names else ()
            if problem := _of_branches(mine, right, parts) or self._of_leaves(mine, right):
                return f"{_called(path, names or ())}: {problem}" if path else problem
        return ""

    def _of_leaves(self, got: Any, want: Any) -> str:
        if isinstance(want, Tensor):
            return self._of_tensors(got, want)
        if isinstance(want, float):
            return self._of_floats(got, want)
        if isinstance(want, int) and not isinstance(want, bool):
            return _of_whole_numbers(got, want)
        return _unlike(got, want)

    def _of_floats(self, got: Any, want: float) -> str:
        got = got.item() if isinstance(got, Tensor) and got.numel() == 1 else got
        if isinstance(got, bool) or not isinstance(got, int | float):
            return f"should be a number; it is {kind_of(got)}."
        if self.nan_equal and math.isnan(got) and math.isnan(want):
            return ""
        if got == want or math.isclose(got, want, rel_tol=self.rtol, abs_tol=self.atol):
            return ""
        expected, came = distinct(want, float(got))
        return f"expected {expected}, got {came}."

    def _of_tensors(self, got: Any, want: Tensor) -> str:
        if not isinstance(got, Tensor):
            return f"should be a tensor of shape {shape_text(want)}; it is {kind_of(got)}."
        if got.shape != want.shape:
            return f"should have shape {shape_text(want)}; it has {shape_text(got)}."
        if self.dtype and got.dtype != want.dtype:
            return f"should have dtype {want.dtype}; it has {got.dtype}."
        if self._tensors_agree(got, want):
            return ""
        rtol, atol = self._widened(want)
        one, other = got.to(torch.float64), want.to(torch.float64)
        wrong = (
            got != want
            if self._exactly(got, want)
            else ~torch.isclose(one, other, rtol=rtol, atol=atol, equal_nan=self.nan_equal)
        )
        if not wrong.any():
            return ""
        index = tuple(int(i) for i in wrong.nonzero()[0])
        expected, came = distinct(want[index].item(), got[index].item())
        at = f" at {list(index)}" if index else ""
        several = f" ({int(wrong.sum())} of {wrong.numel()} numbers differ)"
        return f"expected {expected}{at}, got {came}{several if wrong.numel() > 1 else ''}."

    def _tensors_agree(self, got: Tensor, want: Tensor) -> bool:
        if got.shape != want.shape or self.dtype and got.dtype != want.dtype:
            return False
        if got.dtype == want.dtype and torch.equal(got, want):
            return True  # the common case, and the quickest to see
        if self._exactly(got, want):
            return bool((got == want).all())  # float64 has no room for all of their digits
        rtol, atol = self._widened(want)
        if got.dtype == want.dtype and got.dtype in FLOATS and _apart(got, want) <= atol / 2:
            return True  # nearly as common; taking the difference errs by far less than half of it
        one, other = got.to(torch.float64), want.to(torch.float64)
        gap = (one - other).abs_()
        if math.isfinite(float(gap.sum())):
            return bool((gap <= other.abs().mul_(rtol).add_(atol)).all())
        return bool(torch.isclose(one, other, rtol=rtol, atol=atol, equal_nan=self.nan_equal).all())

    def _exactly(self, got: Tensor, want: Tensor) -> bool:
        """Whether they are whole numbers, or true and false, and to be the same."""
        floating = any(one.is_floating_point() or one.is_complex() for one in (got, want))
        return not floating and self.atol < 1

    def _widened(self, want: Tensor) -> tuple[float, float]:
        """The tolerances, which half precision cannot keep."""
        if want.dtype in (torch.float16, torch.bfloat16) and self.rtol:
            return max(self.rtol, 2e-2), max(self.atol, 2e-2)
        return self.rtol, self.atol


def _called(path: tuple, names: Sequence[str]) -> str:
    """A part of a result, by the `names` of its values where they have some: `state, value 0`."""
    first, *others = (key if isinstance(key, str) else f"value {key}" for key in path)
    if isinstance(path[0], int) and path[0] < len(names):
        first = names[path[0]]
    return ", ".join([first, *others])


def _of_branches(got: Any, want: Any, names: Sequence[str]) -> str:
    """How two branches differ in form; empty for leaves."""
    if isinstance(want, dict):
        if not isinstance(got, dict):
            return f"should return a dict; it returned {kind_of(got)}."
        missing, extra = sorted(set(want) - set(got)), sorted(set(got) - set(want))
        return f"has other names: missing {missing[:5]}, unexpected {extra[:5]}."
    if not isinstance(want, tuple | list):
        return ""
    if not isinstance(got, tuple | list) or len(got) != len(want):
        parts = f" ({', '.join(names)})" if names else ""
        return f"should return {len(want)} values{parts}; it returned {kind_of(got)}."
    kind = "tuple" if isinstance(want, tuple) else "list"
    return f"should return a {kind}; it returned {kind_of(got)}."


def _of_whole_numbers(got: Any, want: int) -> str:
    if isinstance(got, Tensor) and got.numel() == 1 and not got.is_floating_point():
        got = got.item()
    if isinstance(got, bool) or not isinstance(got, int):
        return f"should be a whole number; it is {kind_of(got)}."
    return _unlike(got, want)


def _unlike(got: Any, want: Any) -> str:
    if type(got) is type(want) and got == want:
        return ""
    came = brief(got) if type(got) is type(want) else kind_of(got)
    return f"expected {brief(want)}, got {came}."


def agree(
    got: Any,
    want: Any,
    rtol: float = 1e-4,
    atol: float = 1e-5,
    dtype: bool = True,
    nan_equal: bool = False,
) -> bool:
    """Whether two trees of tensors and numbers agree within rtol and atol."""
    return Closeness(rtol, atol, dtype, nan_equal).agree(got, want)


def raises(
    student: Subject,
    error: type[BaseException],
    *args: Any,
    says: Sequence[str] = (),
    case: str = "",
    **kwargs: Any,
) -> None:
    """Fail unless the call raises that error with every one of the texts in its message.

    Here `root` raises ValueError("root of -1.0") for a negative number, and `halve` raises nothing:

    >>> raises(root, ValueError, -1.0, says=("-1.0",), case="a negative number")
    >>> raises(halve, ValueError, -1.0, case="a negative number")
    Traceback (most recent call last):
    autograder.checking.comparing.Failure: a negative number: halve(...) should raise \
ValueError; it returned a float: -0.5.
    """
    outcome, problem, reason = "returned", "", Reason.NOT_RAISED
    try:
        result = student(*args, **kwargs)
        outcome += " an object" * isinstance(result, Subject)  # as an error is that is not raised
        problem = f"should raise {error.__name__}; it returned {kind_of(result)}."
    except Raised as raised:
        outcome, reason = raised.type, Reason.OTHER_ERROR
        missing = [text for text in says if text not in raised.message]
        if error.__name__ not in raised.bases:
            problem = f"should raise {error.__name__}; it raised {raised.type}: {raised.message}"
        elif missing:
            outcome, reason = "as asked, in other words", Reason.UNNAMED
            problem = f"should name {' and '.join(missing)} in its error; it says: {raised.message}"
        else:
            outcome = "as asked"
    start = problem and _prefix(case, student.last_call)
    fields = {"wanted": error.__name__, "got": outcome}
    text = f"{start} {problem}" if problem else ""
    _note("asked", outcome, text, reason=reason, fields=fields, case=case)


def backpropagates(student: Subject, *args: Any, case: str, **kwargs: Any) -> None:
    """Fail unless the result hangs on its inputs, with a gradient of zeros if need be."""
    with _going_on(case):
        connected = student.gradients(*args, **kwargs).connected
        problem = "" if connected else (
            f"{_prefix(case, student.last_call)} returns what is cut off from its inputs: "
            "`backward()` ends in an error, where the contract promises a gradient of zeros."
        )  # fmt: skip
        _note("holds", connected, problem, reason=Reason.CUT_OFF, case=case)


def holds_at_most(
    student: Subject,
    room: int,
    *args: Any,
    want: Callable[[Any], tuple[Any, Any]],
    sentence: str,
    **kwargs: Any,
) -> None:
    """Fail with the sentence if a call needs more than `room` bytes at once.

    `want` takes the result and returns a part of it and what that must be. Not asked of what has
    failed before: it may need all the memory there is.

    >>> whole = (lambda result: (result, 0.5 * numbers))
    >>> holds_at_most(halve, 10**6, numbers, want=whole, sentence="It needs too much.")
    >>> holds_at_most(halve, 1, numbers, want=whole, sentence="It needs too much.")
    Traceback (most recent call last):
    autograder.checking.comparing.Failure: halve(...): It needs too much.
    """
    if (log := current_log.get()) and log.failure is not None:
        return
    try:
        got, held = student.within(room, *args, **kwargs)
    except Raised as raised:
        if "MemoryError" not in raised.bases and "allocate" not in raised.message:
            raise
        _note("holds", False, f"{student.last_call}: {sentence}")
        return
    require(held <= room, f"{student.last_call}: {sentence}")
    part, expected = want(got)
    close(part, expected, call=student.last_call)


@contextlib.contextmanager
def _going_on(case: str) -> Iterator[None]:
    """Say in which case the code under check raised something; go on where failures are noted."""
    log = current_log.get()
    if log is not None:
        log.part += 1
    try:
        yield
    except Raised as raised:
        raised.call = _prefix(case, raised.call)
        if log is None:
            raise
        log.note(
            "raised",
            raised.type,
            failure=raised,
            account=account_of(raised),
            reason=Reason.ERROR,
            fields={"message": raised.message, "where": raised.where},
            case=case,
        )
    except Failure:
        if log is None:
            raise
    finally:
        if log is not None:
            log.part += 1


@contextlib.contextmanager
def _beside_values() -> Iterator[None]:
    """What is noted now asks more of the call whose values were noted last."""
    log = current_log.get()
    if log is not None:
        log.beside = log.part - 1
    try:
        yield
    finally:
        if log is not None:
            log.beside = None


@dataclass(frozen=True)
class Ask:
    """What is asked of a call besides its values: all of it, where a check says nothing else."""

    gradients: bool = True  # to every floating-point input and parameter
    contiguous: bool = True  # whether inputs that are not contiguous in memory give the same
    double: bool = True  # whether float64 gives the same, more closely
    unchanged: bool = True  # inputs, and (once a check) what was returned before


def agrees(
    student: Subject,
    reference: Subject,
    *args: Any,
    case: str = "",
    names: Sequence[str] | None = None,
    ask: Ask = Ask(),
    rtol: float = 1e-4,
    atol: float = 1e-5,
    dtype: bool = True,
    **kwargs: Any,
) -> Any:
    """The values are those of the reference, and what else there is to `ask` of a call.

    Returns the student's result. Of `halve` and of one that doubles, with halve as reference:

    >>> agrees(halve, halve, torch.tensor([2.0, 4.0]), case="two numbers")
    tensor([1., 2.])
    >>> agrees(double, halve, torch.tensor([2.0, 4.0]), case="two numbers")
    Traceback (most recent call last):
    autograder.checking.comparing.Failure: two numbers: double(...) expected 1 at [0], got 4 \
(2 of 2 numbers differ).
    """
    inputs = {**dict(tensors(args)), **dict(tensors(kwargs))}
    floating = any(tensor.is_floating_point() for tensor in inputs.values())
    others = _others(args) if ask.unchanged and ask.contiguous else None
    tolerance = {"rtol": rtol, "atol": atol, "dtype": dtype}
    asked = _Case(case, student, reference, args, kwargs, tolerance, names)
    # A part that fails leaves out none of the others: what is asked of the reference is the same
    # for all, as a recording of its answers may stand in for it.
    with _going_on(case):
        asked.values(inputs if ask.unchanged else {})
    with _beside_values():
        if ask.gradients and (floating or student.is_instance):
            with _going_on(case):
                asked.gradients()
        if ask.contiguous and inputs:
            with _going_on(case):
                asked.spread(others)
        if ask.double and floating:
            with _going_on(case):
                asked.double()
    return asked.got


@dataclass
class _Case:
    """One call that is asked of both sides, and how closely the answers are compared."""

    text: str
    student: Subject
    reference: Subject
    args: tuple
    kwargs: dict[str, Any]
    tolerance: dict[str, Any]
    names: Sequence[str] | None
    got: Any = None
    want: Any = None

    @property
    def brief(self) -> bool:
        """Whether the student's side is asked for values alone; the reference's is asked all."""
        log = current_log.get()
        return log is not None and log.brief

    def values(self, inputs: dict[str, Tensor]) -> None:
        """The answers, and that the `inputs` stay as they are."""
        self.want = self.reference(*self.args, **self.kwargs)
        self.got, left = self.student.with_inputs(*self.args, **self.kwargs)
        self._close(self.got, self.want, self.student.describing())
        if inputs:
            _unchanged(self.student, inputs, left, self.text)

    def gradients(self) -> None:
        """The gradients; those of values that are wrong tell no more about why they are."""
        wrong = not agree(self.got, self.want, **self.tolerance)
        of = None
        if self.names and isinstance(self.want, tuple) and LOOKED_AT & set(self.names):
            of = tuple(place for place, name in enumerate(self.names) if name not in LOOKED_AT)
        want = self.reference.gradients_of(None, *self.args, of=of, **self.kwargs)
        if self.brief:
            return
        got = self.student.gradients_of(None, *self.args, of=of, **self.kwargs)
        described = self.student.describing()
        for path, expected in want.inputs.items():
            self._gradient(f"input {path}", got.inputs.get(path), expected, wrong, described)
        for path, expected in want.parameters.items():
            gradient = got.parameters.get(path)
            if gradient is None:  # so are names, where the contract says so
                _note("gradient", None, "", free=True, case=self.text, variant=f"parameter {path}")
            else:
                self._gradient(f"parameter {path}", gradient, expected, wrong, described)

    def _gradient(
        self,
        label: str,
        found: Tensor | None,
        expected: Tensor,
        wrong: bool,
        described: Callable[[], str],
    ) -> None:
        scale = float(expected.abs().max()) if expected.numel() else 0.0
        rtol, atol = self.tolerance["rtol"], self.tolerance["atol"]
        tolerance = {"rtol": 10 * rtol, "atol": 10 * atol * max(1.0, scale)}

        def problem() -> str:
            start = _prefix(self.text, described())
            return f"{start}: {_gradient_problem(found, expected, label, atol, tolerance)}"

        right = _gradients_agree(found, expected, atol, tolerance)
        _note(
            "gradient",
            found,
            "" if right else problem,
            want=expected,
            free=wrong,
            reason=Reason.GRADIENT,
            case=self.text,
            variant=label,
            **tolerance,
        )

    def spread(self, others: tuple | None) -> None:
        """The same inputs, not contiguous in memory; a call with `others` leaves the answer."""
        if self.brief:
            return
        args, kwargs = mapped(spread, self.args), mapped(spread, self.kwargs)
        got, later = self.student.then(others, *args, **kwargs)
        described = self.student.describing()
        where = " with inputs that are not contiguous in memory"
        self._close(got, self.want, lambda: described() + where, "not contiguous")
        if others is not None:
            left_alone(self.student, got, later, self.text)

    def double(self) -> None:
        """The same in float64; where float32 may be further off, so may it, by fewer digits."""
        args, kwargs = mapped(_doubled, self.args), mapped(_doubled, self.kwargs)
        asked = (self.reference,) if self.brief else (self.reference, self.student)
        sides = [side for side in asked if side.is_instance]
        try:
            for side in sides:
                side.to("float64")
            want = self.reference(*args, **kwargs)
            if self.brief:
                return
            got = self.student(*args, **kwargs)
            call = self.student.describing()
        finally:
            for side in sides:
                side.to("float32")
        fine = {"rtol": 1e-6 * self.tolerance["rtol"], "atol": 1e-7 * self.tolerance["atol"]}
        case = f"{self.text}: in float64" if self.text else "in float64"
        tolerance = self.tolerance | fine
        close(got, want, case=case, call=call, names=self.names, variant="float64", **tolerance)

    def _close(self, got: Any, want: Any, call: Callable[[], str], variant: str = "") -> None:
        close(
            got,
            want,
            case=self.text,
            call=call,
            names=self.names,
            variant=variant,
            **self.tolerance,
        )


def _doubled(tensor: Tensor) -> Tensor:
    return tensor.double() if tensor.is_floating_point() else tensor


def _others(args: tuple) -> tuple | None:
    """Once a check: the arguments with the numbers of the last one in another order."""
    log = current_log.get()
    numbers = [tensor for _, tensor in tensors(args) if tensor.dtype != torch.bool and tensor.dim()]
    if not numbers or log and log.asked_later:
        return None
    if log:
        log.asked_later = True
    last = next((one for one in reversed(numbers) if one.is_floating_point()), numbers[-1])
    axes = tuple(range(last.dim()))
    return mapped(lambda one: one.roll((1,) * len(axes), axes) if one is last else one, args)


def left_alone(student: Subject, got: Any, later: Any, case: str = "") -> None:
    """Fail if a result is another one after a further call."""
    left = isinstance(got, Subject) or agree(later, got, 0.0, 0.0, nan_equal=True)
    call = "" if left else _prefix(case, student.last_call)
    problem = call and f"{call} changes what it returned before when it is called again."
    _note("holds", left, problem, reason=Reason.RESULT_CHANGED, case=case)


def _unchanged(student: Subject, inputs: dict[str, Tensor], left: dict, case: str) -> None:
    changed = [
        path
        for path, tensor in inputs.items()
        if left.get(path) is None or not agree(left[path], tensor, 0.0, 0.0)
    ]
    described = student.describing()

    def problem() -> str:
        return (
            f"{_prefix(case, described())} changes its input: work on a copy, or use operations "
            "that do not end in an underscore."
        )

    _note("holds", not changed, problem if changed else "", reason=Reason.INPUT_CHANGED, case=case)


def _gradients_agree(
    found: Tensor | None, expected: Tensor, atol: float, tolerance: dict[str, Any]
) -> bool:
    if found is None or not finite(found) or not agree(found, expected, **tolerance):
        return False
    return bool(found.any()) or agree(found, expected, 0.0, atol)


def _gradient_problem(
    found: Tensor | None, expected: Tensor, label: str, atol: float, tolerance: dict[str, Any]
) -> str:
    """What is wrong with a gradient."""
    if found is None:
        return f"no gradient reaches {label}."
    if not finite(found):
        return f"the gradient of {label} is not finite (NaN or infinite)."
    if not found.any() and not agree(found, expected, 0.0, atol):
        return (
            f"no gradient reaches {label}: somewhere the result is cut off from it (`.detach()`, "
            "`.item()`, `torch.tensor(...)`, a NumPy detour)."
        )
    return f"the gradient of {label} is wrong: {Closeness(**tolerance).difference(found, expected)}"
