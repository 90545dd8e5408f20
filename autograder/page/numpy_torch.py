"""PyTorch's names on NumPy: pyborch, and what it lacks or answers otherwise.

Importing this makes `import torch` find it. What is added stands here alone, and each of it has a
test against PyTorch.
"""

import functools
import inspect
import re
import sys
import weakref
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

import borch
import numpy as np
from borch import Tensor, _base, _tensor, dtype, nn

from autograder.page import numpy_draws
from autograder.page.numpy_functions import (
    PRODUCT,
    REPLACED,
    Init,
    State,
    any_or_all,
    begin_heads,
    converted,
    load_state_dict,
    named_buffers,
    of_one_dtype,
    run_in_order,
    state_dict,
    to,
    vector_norm,
)
from autograder.page.numpy_packed import (
    PackedSequence,
    pack_padded_sequence,
    pad_packed_sequence,
    recurrent,
)

PARTS = [module for name, module in sys.modules.items() if name.split(".")[0] == "borch"]
USUAL = {"f": np.float32, "i": np.int64, "u": np.int64, "c": np.complex64}
COMMON = {np.dtype(name) for name in ("float32", "int64", "bool", "complex64")}
SINGLE = np.dtype("float32")
ONE_OR_ALL = {"max", "mean", "min", "prod", "sum"}  # `keepdim` goes with `dim` alone
DOUBLE = {np.dtype("float64"), np.dtype("complex128")}


def everywhere(name: str, value: Any) -> None:
    """Put it in the place of a name of pyborch's in each module that imported it."""
    for module in PARTS:
        if hasattr(module, name):
            setattr(module, name, value)


# Random draws: PyTorch's.
everywhere("_rng", numpy_draws.ALL)
for _name in ("Generator", "get_rng_state", "manual_seed", "rand", "randn", "set_rng_state"):
    everywhere(_name, getattr(numpy_draws, _name))

# Messages: PyTorch's alone.
everywhere("_like_torch", lambda said, phrase: phrase)


# Dtypes: pyborch has but the common ones, and turns all others into them. NumPy has more.
STORED = {
    "int32": np.int32,
    "int16": np.int16,
    "int8": np.int8,
    "uint8": np.uint8,
    "float16": np.float16,
    "float64": np.float64,
    "complex128": np.complex128,
}
for _name, _stored in STORED.items():
    _kind = getattr(_base, _name)
    _kind.__class__, _kind.np = dtype, _stored
    _base._NP_TO_DTYPE[np.dtype(_stored)] = _kind
_tensor._RANK |= {
    np.dtype(name): rank
    for name, rank in {"uint8": 5, "int8": 6, "int16": 7, "int32": 8, "float16": 15}.items()
}
dtype.is_floating_point = property(lambda self: self.name.startswith(("float", "bfloat")))
dtype.is_complex = property(lambda self: self.name.startswith("complex"))
dtype.itemsize = property(lambda self: np.dtype(self.np).itemsize)
dtype.__reduce__ = lambda self: (getattr, (borch, self.name))


def _uncommon(values: Any) -> Iterator[np.dtype]:
    for value in values:
        if isinstance(value, PackedSequence):
            yield from _uncommon(value.rows)
        elif isinstance(value, Tensor):
            kind = value._array.dtype
            if not (kind is SINGLE or kind in COMMON):
                yield kind
        elif isinstance(value, tuple | list):
            yield from _uncommon(value)
        elif isinstance(value, dtype) and not isinstance(value, _base._AbsentDtype):
            yield from {np.dtype(value.np)} - COMMON


def entry(function: Callable, name: str) -> Callable:
    """A function of the library as others call it: watched, and with the dtypes it was given."""

    @functools.wraps(function)
    def called(*args: Any, **kwargs: Any) -> Any:
        if isinstance(kwargs.get("dim"), list):
            kwargs["dim"] = tuple(kwargs["dim"])
        if name in ("sum", "amax", "amin"):
            args = tuple(tuple(one) if isinstance(one, list) else one for one in args)
        if "keepdim" in kwargs and len(args) == 1 and "dim" not in kwargs:
            if name in ONE_OR_ALL:
                raise TypeError(f"{name}() received an invalid combination of arguments")
            if name in ("amax", "amin"):
                kwargs["dim"] = tuple(range(args[0].dim()))
        if State.depth and not State.kept:
            return function(*args, **kwargs)
        before = State.kept
        if kept := {*_uncommon(args), *_uncommon(kwargs.values())}:
            State.kept = before | kept | (DOUBLE if kept & DOUBLE else set())
        if not State.depth:
            for watch in State.watches:
                watch.names.add(name)
                watch.steps += 1
        State.depth += 1
        try:
            return function(*args, **kwargs)
        except np.exceptions.AxisError as error:
            dimensions = max(error.ndim or 0, 1)
            low, high = -dimensions, dimensions - 1
            raise IndexError(
                f"Dimension out of range (expected to be in range of [{low}, {high}], "
                f"but got {error.axis})"
            ) from None
        finally:
            State.depth -= 1
            State.kept = before

    return called


def _init(
    self: Tensor,
    data: Any,
    requires_grad: bool = False,
    _parents: tuple = (),
    _backward: Callable | None = None,
) -> None:
    array = data if isinstance(data, np.ndarray) else np.asarray(data)
    kind = array.dtype
    wanted = kind is SINGLE or kind in COMMON or kind in State.kept
    if not (wanted or any(array.dtype == parent._array.dtype for parent in _parents)):
        array = array.astype(USUAL[array.dtype.kind])
    if requires_grad and array.dtype.kind not in "fc":
        raise RuntimeError("Only Tensors of floating point and complex dtype can require gradients")
    self._array = array
    self.requires_grad = bool(requires_grad)
    self.grad, self._op, self._freed = None, None, False
    self._parents, self._backward = _parents, _backward
    for watch in State.watches:
        watch.largest = max(watch.largest, array.size)


Tensor.__init__ = _init
everywhere("_requested_dtype", lambda dt, where="": dt)
everywhere("_needs_float_dtype", lambda kernel, requested: None)


def _cast(self: Tensor, target: Any) -> Tensor:
    State.kept, before = State.kept | {np.dtype(target)}, State.kept
    try:
        array, came = self._array.astype(target), self._array.dtype
        if array.dtype.kind not in "fc":
            return Tensor(array)
        return self._make(array, (self,), lambda g: (g.astype(came),), "ToCopyBackward0")
    finally:
        State.kept = before


def _caster(kind: Any) -> Callable[[Tensor], Tensor]:
    return lambda self: _cast(self, kind.np)


Tensor._cast = _cast
for _name, _target in {
    "double": borch.float64,
    "half": borch.float16,
    "int": borch.int32,
    "short": borch.int16,
    "char": borch.int8,
    "byte": borch.uint8,
}.items():
    setattr(Tensor, _name, _caster(_target))


EMPTY: np.ndarray = np.empty(0, dtype=np.float32)


class _Data:
    """`t.data`: to pyborch the array, to everybody else a tensor of the same numbers."""

    def __get__(self, tensor: Tensor | None, kind: Any = None) -> Any:
        if tensor is None:
            return self
        if State.depth or sys._getframe(1).f_globals.get("__package__") == "borch":
            return tensor._array
        made = Tensor(EMPTY)
        made._array = tensor._array
        return made

    def __set__(self, tensor: Tensor, value: Tensor) -> None:
        tensor._array = value._array


Tensor.data = _Data()


# In place: pyborch refuses where gradients flow, and forgets those of what is written.
def _used(user: Tensor) -> Tensor:
    """Let a tensor's parents know of it."""
    for parent in user._parents:
        uses = vars(parent).setdefault("_uses", [])
        if len(uses) > MANY:
            uses[:] = [use for use in uses if use() is not None]
        uses.append(weakref.ref(user))
    return user


def _make(self: Tensor, *given: Any, **named: Any) -> Tensor:
    """pyborch's, which remembers who uses a tensor."""
    return _used(_plain_make(self, *given, **named))


_plain_make, Tensor._make = Tensor._make, _make
MANY = 100


def _graph_of(self: Tensor) -> Tensor:
    """A tensor with what came before of one that is about to be written into.

    Whoever used that one used what it was.
    """
    before = Tensor(self._array.copy(), False, self._parents, self._backward)
    before.requires_grad, before._op = self.requires_grad, self._op
    before._uses = vars(self).pop("_uses", [])
    for use in before._uses:
        if (user := use()) is not None:
            user._parents = tuple(before if one is self else one for one in user._parents)
    return _used(before)


def _is_leaf(self: Tensor) -> bool:
    return not self._parents


def _refuse_leaf(self: Tensor) -> None:
    if self.requires_grad and _is_leaf(self) and _tensor._grad_mode.enabled:
        raise RuntimeError(
            "a leaf Variable that requires grad is being used in an in-place operation."
        )


def _inplace(self: Tensor, function: Callable[[], Any], what: str) -> Tensor:
    _refuse_leaf(self)
    if not self._array.flags.writeable:
        raise RuntimeError(
            "unsupported operation: more than one element of the written-to tensor refers to a "
            "single memory location. Please clone() the tensor before performing the operation."
        )
    out = function()
    result = out if isinstance(out, Tensor) else Tensor(np.asarray(out))
    array = result._array
    if not np.can_cast(array.dtype, self._array.dtype, casting="same_kind"):
        kinds = [_KINDS.get(each.dtype.name, each.dtype.name) for each in (array, self._array)]
        raise RuntimeError(
            f"result type {kinds[0]} can't be cast to the desired output type {kinds[1]}"
        )
    if result.requires_grad and _tensor._grad_mode.enabled:
        _graph_of(self)
        self._parents = result._parents
        self._backward, self._op, self.requires_grad = result._backward, result._op, True
        _used(self)
    if array.shape == self._array.shape:
        self._array[...] = array
    elif array.size == self._array.size:
        self._array = array
    else:
        raise RuntimeError(
            f"output with shape {list(self._array.shape)} doesn't match the broadcast shape "
            f"{list(array.shape)}"
        )
    return self


_KINDS = {
    "float32": "Float",
    "float64": "Double",
    "int64": "Long",
    "bool": "Bool",
    "int32": "Int",
    "float16": "Half",
}


def _plain(index: Any) -> Any:
    if isinstance(index, tuple):
        return tuple(_plain(one) for one in index)
    return index._array if isinstance(index, Tensor) else index


def _steps(self: Tensor, index: Any) -> tuple[Any, Any]:
    """An index as two, one after the other: PyTorch takes whole numbers first, NumPy does not.

    To NumPy they are of one kind with the lists and tensors beside them.
    """
    key = _plain(index)
    parts = list(key) if isinstance(key, tuple) else [key]
    parts = [int(one) if _is_number(one) else one for one in parts]
    listed = [isinstance(one, list | np.ndarray) for one in parts]
    if not any(listed) or not any(type(one) is int for one in parts):
        return Ellipsis, key
    first, then = [], []
    for part, is_listed in zip(parts, listed, strict=True):
        if is_listed:
            first += [slice(None)] * (part.ndim if _is_mask(part) else 1)
            then.append(part)
        else:
            first.append(part)
            then += [part] if part is Ellipsis else [slice(None)] * (type(part) is not int)
    return tuple(first), tuple(then)


def _is_number(one: Any) -> bool:
    return isinstance(one, np.ndarray) and one.ndim == 0 and one.dtype.kind in "iu"


def _is_mask(one: Any) -> bool:
    return isinstance(one, np.ndarray) and one.dtype.kind == "b"


def _getitem(self: Tensor, index: Any) -> Tensor:
    self._forward_step(index)
    first, then = _steps(self, index)
    shape = self._array.shape
    try:
        array = self._array[first][then]
    except IndexError as error:
        raise IndexError(_index_words(error)) from None

    def back(gradient: np.ndarray) -> tuple[np.ndarray]:
        whole = np.zeros(shape, dtype=np.asarray(gradient).dtype)
        np.add.at(whole[first], then, gradient)
        return (whole,)

    return self._make(np.asarray(array), (self,), back)


def _index_words(error: IndexError) -> str:
    """NumPy's message in PyTorch's words, where that is known."""
    found = re.match(r"index (-?\d+) is out of bounds for axis (\d+) with size (\d+)", str(error))
    if found is None:
        return str(error)
    return f"index {found[1]} is out of bounds for dimension {found[2]} with size {found[3]}"


def _setitem(self: Tensor, index: Any, value: Any) -> None:
    _refuse_leaf(self)
    self._forward_step(index)
    first, then = _steps(self, index)
    array = value._array if isinstance(value, Tensor) else value
    graph = isinstance(value, Tensor) and value.requires_grad or self.requires_grad
    if graph and _tensor._grad_mode.enabled:
        before = _graph_of(self)
        given = value if isinstance(value, Tensor) else Tensor(np.asarray(value))

        def back(gradient: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            rest = np.array(gradient)
            rest[first][then] = 0
            part = np.asarray(gradient)[first][then]
            return rest, _tensor._unbroadcast(part, given._array.shape)

        self._parents, self._backward = (before, given), back
        self._op, self.requires_grad = "CopySlices", True
        _used(self)
    try:
        self._array[first][then] = array
    except ValueError as error:
        raise RuntimeError(
            f"shape mismatch: value tensor of shape {list(np.shape(array))} cannot be broadcast "
            f"to indexing result of shape {list(self._array[first][then].shape)}"
        ) from error


Tensor._inplace = _inplace
Tensor.__getitem__, Tensor.__setitem__ = _getitem, _setitem


def _flow(roots: Any, seeds: Any) -> tuple[list[Tensor], dict[int, np.ndarray]]:
    """pyborch's backward pass without recursion, which a loop over many steps exhausts."""
    order: list[Tensor] = []
    seen: set[int] = set()
    for root in roots:
        stack = [(root, False)]
        while stack:
            node, done = stack.pop()
            if done:
                order.append(node)
            elif id(node) not in seen:
                seen.add(id(node))
                stack.append((node, True))
                stack.extend((parent, False) for parent in reversed(node._parents))
    gradients: dict[int, np.ndarray] = {}

    def add(node: Tensor, gradient: np.ndarray) -> None:
        known = gradients.get(id(node))
        gradients[id(node)] = gradient if known is None else known + gradient

    for root, seed in zip(roots, seeds, strict=True):
        add(root, seed)
    for node in reversed(order):
        gradient = gradients.get(id(node))
        if gradient is None or node._backward is None:
            continue
        for parent, part in zip(node._parents, node._backward(gradient), strict=False):
            if part is not None and parent.requires_grad:
                part = _tensor._unbroadcast(np.asarray(part), parent._array.shape)
                add(parent, part.astype(parent._array.dtype, copy=False))
    return order, gradients


everywhere("_flow", _flow)


def _plain_power(self: Tensor, exponent: Any) -> Tensor:
    """With a dtype for a whole number that is raised to a broken one."""
    if (
        isinstance(exponent, Tensor)
        or self.dtype.is_floating_point
        or not isinstance(exponent, float)
    ):
        return _power(self, exponent)
    return _power(self.to(borch.float32), exponent)


_power, Tensor.__pow__ = Tensor.__pow__, _plain_power


def _divided(self: Tensor, other: Any) -> Tensor:
    """Without a square, which is zero where a divisor is small."""
    made = _plain_division(self, other)
    if made._backward is None or not isinstance(other, Tensor) or made.is_complex():
        return made
    above, below = self._array, other._array

    def back(gradient: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return gradient / below, -gradient * (above / below / below)

    made._backward = back
    return made


_plain_division, Tensor.__truediv__ = Tensor.__truediv__, _divided


# Operators and methods that are missing.
def _power_of(self: Tensor, base: Any) -> Tensor:
    return borch.tensor(base, dtype=self.dtype if self.is_floating_point() else None) ** self


Tensor.__invert__ = lambda self: borch.bitwise_not(self)
Tensor.__abs__ = lambda self: self.abs()
Tensor.__rpow__ = _power_of
Tensor.__rmatmul__ = lambda self, other: borch.as_tensor(other) @ self
Tensor.__xor__ = lambda self, other: borch.bitwise_xor(self, borch.as_tensor(other))
Tensor.__contains__ = lambda self, item: bool((self == item).any())
Tensor.__reversed__ = lambda self: self.flip(0)
Tensor.__deepcopy__ = lambda self, memo: _copied(self)
Tensor._version = property(lambda self: hash(self._array.tobytes()))  # changes as the values do
Tensor.as_subclass = lambda self, kind: self


def _copied(self: Tensor) -> Tensor:
    made = object.__new__(type(self))
    vars(made).update(vars(self) | {"_array": self._array.copy()})
    return made


# Functions.
for _name, _function in REPLACED.items():
    everywhere(_name, _function)
    for _home in (nn.functional, Tensor):
        if hasattr(_home, _name) and (_home, _name) != (Tensor, "where"):
            setattr(_home, _name, _function)
borch.linalg.vector_norm = vector_norm
everywhere("vector_norm", vector_norm)
Tensor.where = lambda self, condition, other: borch.where(condition, self, other)
Tensor.any, Tensor.all = any_or_all(np.any), any_or_all(np.all)
nn.Module.named_buffers, nn.Module.to = named_buffers, to
nn.Module.state_dict, nn.Module.load_state_dict = state_dict, load_state_dict
nn.Module.double = lambda self: converted(self, borch.float64)
nn.Module.float = lambda self: converted(self, borch.float32)
nn.Module.half = lambda self: converted(self, borch.float16)
nn.Sequential.forward = run_in_order
nn.MultiheadAttention.__init__ = begin_heads(nn.MultiheadAttention.__init__)
for _layer in (nn.RNN, nn.GRU, nn.LSTM):
    _layer.forward = recurrent(_layer.forward)
nn.Linear.forward = lambda self, x: nn.functional.linear(x, self.weight, self.bias)
Tensor.__matmul__ = of_one_dtype(Tensor.__matmul__, PRODUCT)


def _formatted(self: Tensor, spec: str) -> str:
    return object.__format__(self, spec) if self.dim() else format(self.item(), spec)


def _float_formatter(array: np.ndarray) -> Callable[[Any], str]:
    """Without exponents where they are switched off."""
    plain = _plain_formatter(array)
    finite = array[np.isfinite(array)]
    if State.exponents is not False or not np.any(finite != np.floor(finite)):
        return plain
    return lambda value: f"{value:.{_base._PRINT_PRECISION}f}"


def _set_printoptions(
    precision: int | None = None, linewidth: int | None = None, sci_mode: bool | None = None
) -> None:
    _base.set_printoptions(precision, linewidth)
    State.exponents = sci_mode


_plain_formatter, _base._float_formatter = _base._float_formatter, _float_formatter
borch.set_printoptions = _set_printoptions
Tensor.__format__ = _formatted


def _each_call() -> None:
    """Let every function of the library be an entry."""
    for home in (borch, nn.functional, borch.linalg, borch.autograd):
        for name in dir(home):
            value = getattr(home, name)
            if not name.startswith("_") and inspect.isroutine(value):
                setattr(home, name, entry(_without_device(value), name))
    for name in dir(nn):
        layer = getattr(nn, name)
        own = isinstance(layer, type) and issubclass(layer, nn.Module) and name not in HOLDERS
        if own and "forward" in vars(layer):
            layer.forward = entry(layer.forward, name)
    skipped = {"__init__", "__class__", "__new__", "__getattribute__", "__setattr__", "__repr__"}
    skipped |= set(dir(object)) - {"__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__"}
    for name, value in list(vars(Tensor).items()):
        if inspect.isfunction(value) and name not in skipped and name not in QUIET:
            setattr(Tensor, name, entry(value, name.strip("_") if name[:2] == "__" else name))


HOLDERS = {"Linear", "Module", "ModuleDict", "ModuleList", "Sequential"}  # run others
QUIET = {
    *("_make", "_inplace", "_cast", "_binary", "_cmp", "_forward_step", "_memory_format"),
    *("size", "dim", "numel", "__len__", "__iter__", "_reduce", "_argreduce", "_scalar"),
    *("is_floating_point", "is_complex", "is_contiguous", "item", "tolist", "numpy"),
}


def _without_device(function: Callable) -> Callable:
    """The one device is the CPU, which some functions take no argument for."""
    try:
        known = inspect.signature(function).parameters
    except ValueError:
        return function
    if "device" in known:
        return function

    @functools.wraps(function)
    def called(*args: Any, device: Any = None, **kwargs: Any) -> Any:
        return function(*args, **kwargs)

    return called


def _module(name: str, content: Any) -> ModuleType:
    """A module of that name with what an object has, which may be no module."""
    if isinstance(content, ModuleType):
        made = content
    else:
        made = ModuleType(name)
        made.__dict__.update(
            {key: getattr(content, key) for key in dir(content) if not key.startswith("__")}
        )
    sys.modules[name] = made
    return made


def install() -> None:
    """Let `import torch` find this."""
    _each_call()
    borch.bool = borch.bool_
    borch.float, borch.double, borch.int = borch.float32, borch.float64, borch.int32
    sys.modules["torch"] = borch
    functional = _module("torch.nn.functional", nn.functional)
    names: Any = _module("torch.nn", nn)
    names.functional = functional
    names.init = _module("torch.nn.init", Init)
    names.utils = _module("torch.nn.utils", nn.utils)
    names.utils.rnn = _module("torch.nn.utils.rnn", nn.utils.rnn)
    names.utils.rnn.pack_padded_sequence = pack_padded_sequence
    names.utils.rnn.pad_packed_sequence = pad_packed_sequence
    for name in ("autograd", "linalg", "optim", "utils"):
        setattr(borch, name, _module(f"torch.{name}", getattr(borch, name)))
    borch.nn = names
    borch.__name__ = "torch"


install()
