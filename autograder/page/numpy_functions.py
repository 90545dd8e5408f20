"""Functions of PyTorch's that pyborch lacks, or answers otherwise: one definition for each.

They are built of others, so that gradients come by themselves.
"""

import functools
import math
import string
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import borch
import numpy as np
from borch import Tensor, nn

Dim = int | Sequence[int] | None


NAMES = {"float32": "Float", "float64": "Double", "int64": "Long", "bool": "Bool", "int32": "Int"}
NAMES |= {"float16": "Half"}


class State:
    """What the calls under way have in common."""

    depth = 0  # of calls within calls of the library
    kept: frozenset[np.dtype] = frozenset()  # the uncommon dtypes that were asked for
    watches: list[Any] = []
    exponents: bool | None = None  # whether numbers are printed with them; None: where they help


def of_one_dtype(function: Callable, message: str) -> Callable:
    """A product of matrices, which must be of one dtype."""

    @functools.wraps(function)
    def called(*args: Any, **kwargs: Any) -> Tensor:
        kinds = [each._array.dtype.name for each in args if isinstance(each, Tensor)]
        if len(set(kinds)) > 1 and State.depth < 2:  # a layer's own state may be of another
            long = [NAMES.get(kind, kind) for kind in kinds]
            raise RuntimeError(message.format(*long, *(name.lower() for name in long[:2])))
        return function(*args, **kwargs)

    return called


def linear(input: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """With PyTorch's message where dtypes differ."""
    message = "mat1 and mat2 must have the same dtype, but got {0} and {1}"
    product = of_one_dtype(_linear, PRODUCT if bias is None else message)
    return product(input, weight) if bias is None else product(input, weight, bias)


_linear = nn.functional.linear
PRODUCT = "expected m1 and m2 to have the same dtype, but got: {2} != {3}"


def view_as_real(input: Tensor) -> Tensor:
    """Complex numbers as pairs, as exact as they are."""
    if not input.is_complex():
        raise RuntimeError("view_as_real is only supported for complex tensors")
    array = np.stack([input._array.real, input._array.imag], -1)

    def back(gradient: np.ndarray) -> tuple[np.ndarray]:
        return (gradient[..., 0] + 1j * gradient[..., 1],)

    return input._make(array, (input,), back, "ViewAsRealBackward0")


def any_or_all(reduce: Callable) -> Callable:
    """`any` or `all`, over several dimensions too."""

    def method(self: Tensor, dim: Dim = None, keepdim: bool = False) -> Tensor:
        axis = tuple(dim) if isinstance(dim, list) else dim
        return Tensor(np.asarray(reduce(self._array, axis=axis, keepdims=keepdim)))

    return method


def as_tensor(data: Any, dtype: Any = None) -> Tensor:
    """With its gradients, where it is one."""
    if isinstance(data, Tensor):
        return data if dtype is None or data.dtype == dtype else data.to(dtype)
    return borch.tensor(data, dtype=dtype)


def cdist(x1: Tensor, x2: Tensor, p: float = 2.0) -> Tensor:
    """In a batch, and with a gradient of zero between equal points."""
    if p != 2:
        return vector_norm(x1.unsqueeze(-2) - x2.unsqueeze(-3), p, -1)
    gap = x1._array[..., :, None, :] - x2._array[..., None, :, :]
    distance = np.sqrt((gap * gap).sum(-1))

    def back(gradient: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        share = np.divide(gradient, distance, out=np.zeros_like(distance), where=distance != 0)
        part = share[..., None] * gap
        return part.sum(-2), -part.sum(-3)

    return x1._make(distance, (x1, x2), back, "CdistBackward0")


def cosine_similarity(x1: Tensor, x2: Tensor, dim: int = 1, eps: float = 1e-8) -> Tensor:
    """Each length by itself is at least `eps`."""
    lengths = [vector_norm(x, 2, dim, True).clamp(min=eps) for x in (x1, x2)]
    return (x1 / lengths[0] * (x2 / lengths[1])).sum(dim=dim)


def cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: Any = None,
    ignore_index: int = -100,
    reduce: Any = None,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Tensor:
    """Of classes in dimension 1, or of one row alone."""
    if target.is_floating_point() or weight is not None:
        return _cross_entropy(
            input,
            target,
            weight=weight,
            ignore_index=ignore_index,
            reduction=reduction,
            label_smoothing=label_smoothing,
        )
    classes = 0 if input.dim() == 1 else 1
    if tuple(target.shape) != (*input.shape[:classes], *input.shape[classes + 1 :]):
        raise ValueError(
            f"Expected input batch_size ({input.shape[0]}) to match target batch_size "
            f"({target.shape[0] if target.dim() else 1})."
        )
    real = target != ignore_index
    chosen = borch.where(real, target, 0)
    if bool(((chosen < 0) | (chosen >= input.shape[classes])).any()):
        raise IndexError(f"Target {int(chosen.max())} is out of bounds.")
    logs = input.log_softmax(classes)
    losses = -logs.gather(classes, chosen.unsqueeze(classes)).squeeze(classes)
    if label_smoothing:
        losses = losses * (1 - label_smoothing) - logs.mean(dim=classes) * label_smoothing
    losses = losses.masked_fill(~real, 0.0)
    if reduction == "none":
        return losses
    return losses.sum() / real.sum() if reduction == "mean" else losses.sum()


_cross_entropy = nn.functional.cross_entropy


def _one_erf(x: np.ndarray) -> np.ndarray:
    return np.vectorize(math.erf, otypes=[np.float64])(x).astype(x.dtype) if x.size else x


def erf(input: Tensor) -> Tensor:
    """To the last digit, in float64 too."""
    x = input._array if input.is_floating_point() else input._array.astype(np.float32)

    def back(gradient: np.ndarray) -> tuple[np.ndarray]:
        return (gradient * (2 / math.sqrt(math.pi) * np.exp(-x * x)).astype(x.dtype),)

    return input._make(_one_erf(x), (input,), back, "ErfBackward0")


def gelu(input: Tensor, approximate: str = "none") -> Tensor:
    """With the exact `erf`."""
    if approximate != "none":
        return _gelu(input, approximate)
    return input * 0.5 * (1 + erf(input * math.sqrt(0.5)))


_gelu = nn.functional.gelu


def expand(input: Tensor, *size: Any) -> Tensor:
    """One row in memory for all: nothing can be written into it."""
    wanted = list(size[0] if len(size) == 1 and not isinstance(size[0], int) else size)
    old = [1] * (len(wanted) - input.dim()) + list(input.shape)
    shape = [o if w == -1 else w for o, w in zip(old, wanted, strict=True)]
    try:
        array = np.broadcast_to(input._array, shape)
    except ValueError:
        raise RuntimeError(
            f"The expanded size of the tensor ({shape}) must match the existing size "
            f"({list(input.shape)})."
        ) from None
    return input._make(array, (input,), lambda gradient: (gradient,), "ExpandBackward0")


def full(
    size: Any,
    fill_value: Any,
    *,
    dtype: Any = None,
    requires_grad: bool = False,
    device: Any = None,
) -> Tensor:
    """Of whole numbers, of true and false, or of floats, as the value is."""
    value = fill_value.item() if isinstance(fill_value, Tensor) else fill_value
    shape = (size,) if isinstance(size, int) else tuple(size)
    return borch.tensor(np.full(shape, value), dtype=dtype, requires_grad=requires_grad)


def polar(abs: Tensor, angle: Tensor) -> Tensor:
    """A complex number by its length and its angle, as exact as they are."""
    return view_as_complex(borch.stack([abs * angle.cos(), abs * angle.sin()], -1))


def view_as_complex(input: Tensor) -> Tensor:
    """Pairs of numbers as complex ones."""
    if input.shape[-1] != 2:
        raise RuntimeError("Tensor must have a last dimension of size 2")
    kind = np.complex128 if input._array.dtype == np.float64 else np.complex64
    array = input._array[..., 0] + 1j * input._array[..., 1]

    def back(gradient: np.ndarray) -> tuple[np.ndarray]:
        return (np.stack([np.real(gradient), np.imag(gradient)], -1),)

    return input._make(array.astype(kind), (input,), back, "ViewAsComplexBackward0")


def cumsum(input: Tensor, dim: int, *, dtype: Any = None) -> Tensor:
    """Added up in double precision."""
    if not input.is_floating_point() or dtype is not None:
        return _cumsum(input, dim, dtype)
    kind = input._array.dtype

    def running(array: np.ndarray) -> np.ndarray:
        return np.cumsum(array, axis=dim, dtype=np.float64).astype(kind)

    def back(gradient: np.ndarray) -> tuple[np.ndarray]:
        return (np.flip(running(np.flip(gradient, dim)), dim),)

    return input._make(running(input._array), (input,), back, "CumsumBackward0")


_cumsum = borch.cumsum


def gather(input: Tensor, dim: int, index: Tensor, *, sparse_grad: bool = False) -> Tensor:
    """Counts no place from the end."""
    if bool((index < 0).any()):
        lowest, size = int(index.min()), input.shape[dim]
        raise RuntimeError(f"index {lowest} is out of bounds for dimension {dim} with size {size}")
    return _gather(input, dim, index, sparse_grad)


_gather = borch.gather


def einsum(equation: str, *operands: Any) -> Tensor:
    """Letters in the place of `...`, with which pyborch's has no gradient."""
    given = operands[0] if len(operands) == 1 and not isinstance(operands[0], Tensor) else operands
    left, arrow, right = equation.replace(" ", "").partition("->")
    if "..." not in left:
        return _einsum(equation, *given)
    free = [letter for letter in string.ascii_letters if letter not in equation]
    terms, most = left.split(","), 0
    for index, (term, operand) in enumerate(zip(terms, given, strict=True)):
        if "..." in term:
            count = operand.dim() - (len(term) - 3)
            most = max(most, count)
            terms[index] = term.replace("...", "".join(free[:count][::-1]))
    shared = "".join(free[:most][::-1])
    if not arrow:
        letters = sorted(set("".join(terms)) - set(shared))
        right = "..." + "".join(one for one in letters if "".join(terms).count(one) == 1)
    return _einsum(f"{','.join(terms)}->{right.replace('...', shared)}", *given)


_einsum = borch.einsum


def kl_div(
    input: Tensor,
    target: Tensor,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
    log_target: bool = False,
) -> Tensor:
    """Nothing where the target is zero."""
    parts = target.exp() * (target - input) if log_target else None
    parts = borch.xlogy(target, target) - target * input if parts is None else parts
    if reduction == "batchmean":
        return parts.sum() / input.shape[0]
    return {"none": parts, "sum": parts.sum(), "mean": parts.mean()}[reduction]


def mean(input: Tensor, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    """Over several dimensions too."""
    input = input if dtype is None else input.to(dtype)
    if dim is None or isinstance(dim, int):
        return _mean(input, dim=dim, keepdim=keepdim)
    dims = tuple(dim) or tuple(range(input.dim()))
    count = math.prod(input.shape[one] for one in dims)
    return input.sum(dim=dims, keepdim=keepdim) / count


_mean = Tensor.mean


def normalize(input: Tensor, p: float = 2.0, dim: int = 1, eps: float = 1e-12) -> Tensor:
    """A vector of zeros stays one."""
    return input / vector_norm(input, p, dim, True).clamp(min=eps)


def pad(input: Tensor, pad: Sequence[int], mode: str = "constant", value: Any = None) -> Tensor:
    """By a constant: of what is empty, too."""
    if mode != "constant" or min(pad) < 0:
        return _pad(input, pad, mode, value or 0.0)
    for place in range(len(pad) // 2):
        dim = input.dim() - 1 - place
        parts = [input]
        for before, count in ((True, pad[2 * place]), (False, pad[2 * place + 1])):
            if count:
                shape = [*input.shape[:dim], count, *input.shape[dim + 1 :]]
                filled = borch.full(shape, value or 0, dtype=input.dtype)
                parts = [filled, *parts] if before else [*parts, filled]
        input = borch.cat(parts, dim) if len(parts) > 1 else input
    return input


_pad = nn.functional.pad


def randint(*bounds: Any, dtype: Any = None, generator: Any = None, **named: Any) -> Tensor:
    """With the one bound, too."""
    given = [*bounds, *(named[name] for name in ("low", "high", "size") if name in named)]
    low, high, size = given if len(given) == 3 else (0, *given)
    return _randint(low, high, size, dtype=dtype or borch.int64, generator=generator)


_randint = borch.randint


def scaled_dot_product_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Tensor | None = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> Tensor:
    """True in a mask is what may be attended to; who may attend to nothing gets zeros."""
    if enable_gqa:
        groups = query.shape[-3] // key.shape[-3]
        key, value = (one.repeat_interleave(groups, dim=-3) for one in (key, value))
    scores = query @ key.transpose(-2, -1) * (query.shape[-1] ** -0.5 if scale is None else scale)
    if is_causal:
        attn_mask = borch.ones(*scores.shape[-2:], dtype=borch.bool_).tril()
    if attn_mask is None:
        weights = scores.softmax(-1)
    else:
        if attn_mask.is_floating_point():
            scores = scores + attn_mask
        else:
            scores = scores.masked_fill(~attn_mask, -math.inf)
        empty = (scores == -math.inf).all(dim=-1, keepdim=True)
        weights = scores.masked_fill(empty, 0.0).softmax(-1).masked_fill(empty, 0.0)
    return nn.functional.dropout(weights, dropout_p) @ value


def std_or_var(root: bool) -> Callable:
    """Over several dimensions too."""

    def spread(
        input: Tensor,
        dim: Any = None,
        correction: Any = None,
        keepdim: bool = False,
        *,
        unbiased: bool | None = None,
    ) -> Tensor:
        if isinstance(dim, bool):
            dim, unbiased = None, dim
        if unbiased is None and isinstance(correction, bool):
            unbiased = correction
        taken = 1 if correction is None else correction
        taken = taken if unbiased is None else int(unbiased)
        dims = range(input.dim()) if dim is None else [dim] if isinstance(dim, int) else dim
        dims = list(dims)
        count = math.prod(input.shape[one] for one in dims)
        apart = input - input.mean(dim=dims, keepdim=True) if dims else input - input
        total = (apart * apart).sum(dim=dims, keepdim=keepdim) if dims else apart
        variance = total / max(0, count - taken)
        return variance.sqrt() if root else variance

    return spread


def std_or_var_and_mean(root: bool) -> Callable:
    """Both of them."""
    spread = std_or_var(root)

    def both(
        input: Tensor, dim: Any = None, correction: Any = None, keepdim: bool = False, **k: Any
    ) -> tuple[Tensor, Tensor]:
        mean = input.mean() if dim is None else input.mean(dim=dim, keepdim=keepdim)
        return spread(input, dim, correction, keepdim, **k), mean

    return both


def unflatten(input: Tensor, dim: int, sizes: Sequence[int]) -> Tensor:
    """One size may be -1, of that dimension alone."""
    if not -input.dim() <= dim < input.dim():
        low, high = -input.dim(), input.dim() - 1
        raise IndexError(
            f"Dimension out of range (expected to be in range of [{low}, {high}], but got {dim})"
        )
    dim, sizes, size = dim % input.dim(), list(sizes), input.shape[dim]
    known = -math.prod(sizes)
    if -1 in sizes and known and size % known == 0:
        sizes[sizes.index(-1)] = size // known
    if math.prod(sizes) != size:
        raise RuntimeError(
            f"unflatten: Provided sizes {sizes} don't multiply up to the size of dim {dim} "
            f"({size}) in the input tensor"
        )
    return input.reshape(*input.shape[:dim], *sizes, *input.shape[dim + 1 :])


def vector_norm(
    x: Tensor, ord: Any = 2, dim: Any = None, keepdim: bool = False, *, dtype: Any = None
) -> Tensor:
    """A length; where it is zero, so is its gradient."""
    x = x if dtype is None else x.to(dtype)
    if ord not in (2, 2.0) or x.is_complex():
        return _vector_norm(x, ord, dim, keepdim)
    axis = tuple(dim) if isinstance(dim, list) else dim
    length = np.sqrt((x._array * x._array).sum(axis=axis, keepdims=True))

    def back(gradient: np.ndarray) -> tuple[np.ndarray]:
        direction = np.divide(x._array, length, out=np.zeros_like(x._array), where=length != 0)
        return (np.reshape(gradient, length.shape) * direction,)

    shown = length if keepdim else np.squeeze(length, axis=axis) if x.dim() else length
    return x._make(np.asarray(shown), (x,), back, "LinalgVectorNormBackward0")


_vector_norm = borch.linalg.vector_norm


def norm(
    input: Tensor, p: Any = 2, dim: Any = None, keepdim: bool = False, dtype: Any = None
) -> Tensor:
    """The length, as `vector_norm`."""
    if p in ("fro", None):
        p = 2
    return vector_norm(input, p, dim, keepdim, dtype=dtype)


def where(condition: Tensor, *branches: Any) -> Any:
    """A number takes the dtype of the tensor beside it, where it is of its kind."""
    known = next((one for one in branches if isinstance(one, Tensor)), None)
    if known is not None and len(branches) == 2:
        alike = "biufc".index(known._array.dtype.kind)
        branches = tuple(
            borch.tensor(one, dtype=known.dtype)
            if not isinstance(one, Tensor) and KIND_OF.get(type(one), 9) <= max(alike, 1)
            else one
            for one in branches
        )
    return _where(condition, *branches)


_where = borch.where
KIND_OF = {bool: 0, int: 1, float: 3}


def begin_heads(plain: Callable) -> Callable:
    """The weights of `nn.MultiheadAttention`, drawn in PyTorch's order: the last layer's first."""

    @functools.wraps(plain)
    def begin(self: nn.Module, *args: Any, **kwargs: Any) -> None:
        state = borch.get_rng_state()
        plain(self, *args, **kwargs)
        borch.set_rng_state(state)
        if self.in_proj_weight is None or self.bias_k is not None:
            return
        bias = self.out_proj.bias
        last = nn.Linear(self.embed_dim, self.embed_dim, bias=bias is not None)
        self.out_proj.weight._array[...] = last.weight._array
        if bias is not None:
            bias._array[...] = 0
        Init.xavier_uniform_(self.in_proj_weight)

    return begin


class Init:
    """`torch.nn.init`, which is missing: what fills a weight."""

    @staticmethod
    def constant_(tensor: Tensor, val: float) -> Tensor:
        with borch.no_grad():
            return tensor.fill_(val)

    @staticmethod
    def zeros_(tensor: Tensor) -> Tensor:
        return Init.constant_(tensor, 0.0)

    @staticmethod
    def ones_(tensor: Tensor) -> Tensor:
        return Init.constant_(tensor, 1.0)

    @staticmethod
    def normal_(tensor: Tensor, mean: float = 0.0, std: float = 1.0) -> Tensor:
        with borch.no_grad():
            return tensor.copy_(borch.randn(tensor.shape) * std + mean)

    @staticmethod
    def uniform_(tensor: Tensor, a: float = 0.0, b: float = 1.0) -> Tensor:
        with borch.no_grad():
            return tensor.copy_(borch.rand(tensor.shape) * (b - a) + a)

    @staticmethod
    def xavier_uniform_(tensor: Tensor, gain: float = 1.0) -> Tensor:
        bound = gain * (6 / (tensor.shape[0] + tensor.shape[1])) ** 0.5
        return Init.uniform_(tensor, -bound, bound)

    @staticmethod
    def xavier_normal_(tensor: Tensor, gain: float = 1.0) -> Tensor:
        return Init.normal_(tensor, 0, gain * (2 / (tensor.shape[0] + tensor.shape[1])) ** 0.5)


def converted(self: nn.Module, kind: Any) -> nn.Module:
    """The layer with its floats in another dtype; its parameters stay the objects that they are."""
    for part in self.modules():
        for one in [*part._params.values(), *part._buffers.values()]:
            if isinstance(one, Tensor) and one.is_floating_point():
                one._array, one.grad = one._array.astype(kind.np), None
    return self


def to(self: nn.Module, *args: Any, **kwargs: Any) -> nn.Module:
    """To another dtype too."""
    for one in (*args, *kwargs.values()):
        kind = one.dtype if isinstance(one, Tensor) else one
        if isinstance(kind, borch.dtype):
            return converted(self, kind)
    return _to(self, *args, **kwargs)


_to = nn.Module.to


def state_dict(self: nn.Module) -> dict[str, Tensor]:
    """The weights themselves, not copies of them."""
    known = dict(self.named_parameters())
    return {
        name: Tensor(known[name]._array) if name in known else one
        for name, one in _state_dict(self).items()
    }


_state_dict = nn.Module.state_dict


def load_state_dict(self: nn.Module, state: dict[str, Tensor], strict: bool = True) -> Any:
    """Into the weights as they are, which others may share."""
    arrays = {name: one._array for name, one in self.named_parameters()}
    found = _load_state_dict(self, state, strict)
    for name, one in self.named_parameters():
        if name in state:
            arrays[name][...] = one._array
            one._array = arrays[name]
    return found


_load_state_dict = nn.Module.load_state_dict


def run_in_order(self: nn.Sequential, input: Any) -> Any:
    """`Sequential`, with layers that were added by name too."""
    for layer in self._modules.values():
        input = layer(input)
    return input


def named_buffers(self: Any, prefix: str = "", recurse: bool = True, **_: Any) -> Iterator:
    """Those of the parts too, unless `recurse` is false."""
    for name, buffer in _named_buffers(self):
        if recurse or "." not in name:
            yield f"{prefix}{'.' if prefix else ''}{name}", buffer


_named_buffers = nn.Module.named_buffers

REPLACED = {
    "as_tensor": as_tensor,
    "cdist": cdist,
    "cosine_similarity": cosine_similarity,
    "cross_entropy": cross_entropy,
    "cumsum": cumsum,
    "einsum": of_one_dtype(einsum, "expected scalar type {0} but found {1}"),
    "erf": erf,
    "expand": expand,
    "full": full,
    "gather": gather,
    "gelu": gelu,
    "kl_div": kl_div,
    "linear": linear,
    "mean": mean,
    "norm": norm,
    "normalize": normalize,
    "pad": pad,
    "polar": polar,
    "randint": randint,
    "scaled_dot_product_attention": scaled_dot_product_attention,
    "std": std_or_var(True),
    "std_mean": std_or_var_and_mean(True),
    "unflatten": unflatten,
    "var": std_or_var(False),
    "var_mean": std_or_var_and_mean(False),
    "view_as_complex": view_as_complex,
    "view_as_real": view_as_real,
    "where": where,
}
