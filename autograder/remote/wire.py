"""What crosses the sandbox's wall, and recordings: trees of plain data in frames, never pickle.

    frame  = header length (4 bytes) + payload length (8 bytes) + header + payload
    header = the tree as JSON; payload = its tensors, bytes and long strings as safetensors

The decoder takes any bytes at all and either returns plain data or raises `WireError`.
"""

import json
import math
import struct
from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Any

import torch
from safetensors.torch import load
from torch import Tensor

from autograder.remote.values import Function, Ref

PREFIX = struct.Struct("!IQ")

# Longer strings travel in the payload, so that the header's size bounds the number of nodes.
SHORT = 200

# Integers beyond any tensor's range are a mistake, and slow to turn into decimal digits.
INTEGER_BITS = 1024

# What safetensors calls the dtypes that it can hold; complex numbers go as pairs of real ones.
CODES = {
    torch.bool: "BOOL",
    torch.uint8: "U8",
    torch.int8: "I8",
    torch.int16: "I16",
    torch.int32: "I32",
    torch.int64: "I64",
    torch.uint16: "U16",
    torch.uint32: "U32",
    torch.uint64: "U64",
    torch.float16: "F16",
    torch.bfloat16: "BF16",
    torch.float32: "F32",
    torch.float64: "F64",
}
DTYPES = {
    str(dtype).removeprefix("torch."): dtype
    for dtype in (*CODES, torch.complex64, torch.complex128)
}
NAMES = {dtype: name for name, dtype in DTYPES.items()}


class WireError(Exception):
    """What came, or was to be sent, is not plain data within the limits; one sentence says why."""


@dataclass(frozen=True)
class FrameLimits:
    """How much one frame may carry. With `functions=False` no source text is accepted either."""

    frame_bytes: int = 256 * 2**20
    header_bytes: int = 4 * 2**20
    depth: int = 32
    nodes: int = 100_000
    elements: int = 2**26  # of all tensors, counted as the receiver sees them
    functions: bool = True


LIMITS = FrameLimits()

_JSON = json.JSONEncoder(allow_nan=False, check_circular=False, separators=(",", ":"))


def encode(value: Any, limits: FrameLimits = LIMITS) -> bytes:
    """`value` as one frame. Raises WireError if it is not plain data or breaks a limit."""
    encoder = _Encoder(limits)
    try:
        tree = encoder.tree(value, 0)
        header = _JSON.encode(tree).encode("ascii")
        payload = _safetensors(encoder.blobs) if encoder.blobs else b""
    except WireError:
        raise
    except Exception as error:
        raise WireError(f"A value cannot be sent: {_first_line(error)}") from error
    _check_sizes(len(header), len(payload), limits)
    return PREFIX.pack(len(header), len(payload)) + header + payload


def decode(data: bytes | bytearray | memoryview, limits: FrameLimits = LIMITS) -> Any:
    """The value in one whole frame. Raises WireError, and nothing else, whatever the bytes are."""
    view = memoryview(data).cast("B")
    body = sizes(view[: PREFIX.size], limits)
    if len(view) != PREFIX.size + sum(body):
        raise WireError(f"A frame of {len(view)} bytes says that it has {PREFIX.size + sum(body)}.")
    header = bytes(view[PREFIX.size : PREFIX.size + body[0]])
    payload = bytes(view[PREFIX.size + body[0] :])
    try:
        return _decoded(header, payload, limits)
    except WireError:
        raise
    except Exception as error:
        raise WireError(f"A frame is malformed: {_first_line(error)}") from None
    except BaseException as error:
        # A panic in safetensors' Rust code is no Exception; Ctrl-C must stay one.
        if type(error).__name__ != "PanicException":
            raise
        raise WireError("A frame's payload is malformed.") from None


def sizes(prefix: bytes | memoryview, limits: FrameLimits = LIMITS) -> tuple[int, int]:
    """The lengths of header and payload that a frame's first bytes announce, within the limits."""
    if len(prefix) != PREFIX.size:
        raise WireError(f"A frame ends after {len(prefix)} bytes.")
    header, payload = PREFIX.unpack(prefix)
    _check_sizes(header, payload, limits)
    return header, payload


def _check_sizes(header: int, payload: int, limits: FrameLimits) -> None:
    if header > limits.header_bytes:
        raise WireError(f"A frame's header has {header} bytes, over {limits.header_bytes}.")
    if PREFIX.size + header + payload > limits.frame_bytes:
        total = PREFIX.size + header + payload
        raise WireError(f"A frame has {total} bytes, over {limits.frame_bytes}.")


def _safetensors(tensors: list[Tensor]) -> bytes:
    """The tensors in safetensors' format, numbered; half the time of its own writer."""
    header, data, end = {}, [], 0
    for number, tensor in enumerate(tensors):
        if tensor.dtype is torch.bfloat16:  # NumPy has none
            flat = tensor.view(torch.int16).numpy().tobytes()
        else:
            flat = tensor.numpy().tobytes()
        start, end = end, end + len(flat)
        header[number] = {
            "dtype": CODES[tensor.dtype],
            "shape": list(tensor.shape),
            "data_offsets": [start, end],
        }
        data.append(flat)
    text = _JSON.encode(header).encode("ascii")
    return b"".join([len(text).to_bytes(8, "little"), text, *data])


def _first_line(error: BaseException) -> str:
    try:
        lines = str(error).strip().splitlines()
    except Exception:
        lines = []
    return (lines[0] if lines else type(error).__name__).rstrip(".")[:200] + "."


class _Budget:
    def __init__(self, limits: FrameLimits) -> None:
        self.limits = limits
        self.nodes = 0
        self.elements = 0

    def enter(self, depth: int) -> None:
        self.nodes += 1
        if depth > self.limits.depth:
            raise WireError(f"A value is nested more than {self.limits.depth} deep.")
        if self.nodes > self.limits.nodes:
            raise WireError(f"A value has more than {self.limits.nodes} parts.")

    def count(self, shape: tuple[int, ...]) -> None:
        self.elements += math.prod(shape)
        if self.elements > self.limits.elements:
            raise WireError(f"Tensors have {self.elements} elements, over {self.limits.elements}.")


class _Encoder(_Budget):
    """None, booleans, strings and finite numbers are themselves; all else is [tag, ...]."""

    def __init__(self, limits: FrameLimits) -> None:
        super().__init__(limits)
        self.blobs: list[Tensor] = []
        self.bytes = 0

    def tree(self, value: Any, depth: int) -> Any:
        self.enter(depth)
        if value is None or value is True or value is False:
            return value
        if isinstance(value, str):
            text = str.__str__(value)
            if len(text) <= SHORT:
                return text
            return ["s", self.data(text.encode("utf-8", "surrogatepass"))]
        if isinstance(value, int):
            if int.bit_length(value) > INTEGER_BITS:
                raise WireError(f"An integer has more than {INTEGER_BITS} bits.")
            return int.__index__(value)
        if isinstance(value, float):
            number = float.__float__(value)
            return number if math.isfinite(number) else ["f", repr(number)]
        if isinstance(value, Tensor):
            return self.tensor(value)
        if isinstance(value, list | tuple):
            kind, base = ("l", list) if isinstance(value, list) else ("t", tuple)
            items: Iterator[Any] = base.__iter__(value)  # type: ignore[arg-type]  # not its own
            return [kind, *(self.tree(item, depth + 1) for item in items)]
        if isinstance(value, dict):
            return ["d", self.items(dict.items(value), depth)]
        if isinstance(value, bytes | bytearray):
            return ["b", self.data(bytes(value))]
        if isinstance(value, torch.dtype):
            if value not in NAMES:
                raise WireError(f"The dtype {value} cannot be sent.")
            return ["dtype", NAMES[value]]
        if isinstance(value, Ref | Function):
            named = [(each.name, getattr(value, each.name)) for each in fields(value)]
            return [type(value).__name__, self.items(named, depth)]
        raise WireError(f"A value of type {type(value).__name__} is not plain data.")

    def items(self, pairs: Any, depth: int) -> dict[str, Any]:
        encoded = {}
        for key, item in pairs:
            if not isinstance(key, str):
                raise WireError(f"A dict has a key of type {type(key).__name__}, not a string.")
            encoded[str.__str__(key)] = self.tree(item, depth + 1)
        return encoded

    def data(self, data: bytes) -> int:
        if not data:
            return self.blob(torch.empty(0, dtype=torch.uint8))
        return self.blob(torch.frombuffer(bytearray(data), dtype=torch.uint8))

    def blob(self, tensor: Tensor) -> int:
        self.bytes += tensor.numel() * tensor.element_size()
        if self.bytes > self.limits.frame_bytes:
            raise WireError(f"A frame has more than {self.limits.frame_bytes} bytes.")
        self.blobs.append(tensor)
        return len(self.blobs) - 1

    def tensor(self, tensor: Tensor) -> list[Any]:
        """["T", blob, complex] or, where memory is not contiguous, also how it is laid out."""
        with torch._C.DisableTorchFunction():
            if tensor.layout is not torch.strided or tensor.is_quantized or tensor.is_meta:
                raise WireError("A tensor is sparse, quantized or without values.")
            plain = tensor.detach().as_subclass(Tensor)
            if plain.dtype not in NAMES:
                raise WireError(f"A tensor of dtype {plain.dtype} cannot be sent.")
            self.count(tuple(plain.shape))
            plain = plain.cpu().resolve_conj().resolve_neg()
            layout: list[Any] = []
            if not plain.is_contiguous():
                shape, strides = list(plain.shape), plain.stride()
                for dim, stride in enumerate(strides):
                    plain = plain.narrow(dim, 0, 1) if stride == 0 else plain
                order = sorted(range(plain.dim()), key=lambda dim: -strides[dim])
                plain = plain.permute(order)
                # Permuting and repeating alone may not account for it: then there are gaps.
                layout = [shape, order, _laid_out(plain.contiguous(), shape, order, False)]
                layout[2] = layout[2].is_contiguous()
            is_complex = plain.is_complex()
            plain = torch.view_as_real(plain) if is_complex else plain
            return ["T", self.blob(plain), is_complex, *layout]


def _laid_out(tensor: Tensor, shape: list[int], order: list[int], gaps: bool) -> Tensor:
    """A contiguous tensor as one whose dimensions lie in memory in `order`, repeated."""
    if gaps:
        tensor = tensor.unsqueeze(-1).repeat(*[1] * tensor.dim(), 2)[..., 0]
    inverse = sorted(range(len(order)), key=order.__getitem__)
    return tensor.permute(inverse).expand(shape)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    items = dict(pairs)
    if len(items) != len(pairs):
        raise WireError("A dict names one key twice.")
    return items


def _refuse(constant: str) -> None:
    raise WireError(f"A header holds {constant}, which is not JSON.")


_PARSER = json.JSONDecoder(object_pairs_hook=_unique, parse_constant=_refuse)


def _decoded(header: bytes, payload: bytes, limits: FrameLimits) -> Any:
    tree = _PARSER.decode(header.decode("ascii"))
    # Safetensors begins with its own header's length; a long one would be slow to take apart.
    if payload and int.from_bytes(payload[:8], "little") > limits.header_bytes:
        raise WireError("A payload's header is longer than its frame's may be.")
    blobs = load(payload) if payload else {}
    if set(blobs) != {str(number) for number in range(len(blobs))}:
        raise WireError("A payload's tensors are not numbered from 0.")
    decoder = _Decoder(limits, [blobs[str(number)] for number in range(len(blobs))])
    value = decoder.value(tree, 0)
    if any(blob is not None for blob in decoder.blobs):
        raise WireError("A payload carries a tensor that its header does not use.")
    return value


class _Decoder(_Budget):
    def __init__(self, limits: FrameLimits, blobs: list[Tensor | None]) -> None:
        super().__init__(limits)
        self.blobs = blobs

    def value(self, node: Any, depth: int) -> Any:
        self.enter(depth)
        kind = type(node)  # one of JSON's
        if kind is str or node is None or kind is bool:
            return node
        if kind is int:
            if node.bit_length() > INTEGER_BITS:
                raise WireError(f"An integer has more than {INTEGER_BITS} bits.")
            return node
        if kind is float:
            if not math.isfinite(node):
                raise WireError("A number is too large for a float.")
            return node
        if kind is not list or not node or type(node[0]) is not str:
            raise WireError("A header holds a node without a tag.")
        tag, *rest = node
        if tag in ("l", "t"):
            items = [self.value(item, depth + 1) for item in rest]
            return items if tag == "l" else tuple(items)
        if tag == "T" and len(rest) in (2, 5):
            return self.tensor(*rest)
        if len(rest) != 1:
            raise WireError("A header holds a node of the wrong length.")
        return self.tagged(tag, rest[0], depth)

    def tagged(self, tag: str, content: Any, depth: int) -> Any:
        if tag == "d":
            return self.items(content, depth)
        if tag == "f" and content in ("nan", "inf", "-inf"):
            return float(content)
        if tag == "b":
            return self.data(content)
        if tag == "s":
            return self.data(content).decode("utf-8", "surrogatepass")
        if tag == "dtype" and isinstance(content, str) and content in DTYPES:
            return DTYPES[content]
        if tag == "Ref":
            return Ref(**_typed(self.items(content, depth), number=int))
        if tag == "Function" and self.limits.functions:
            fields = self.items(content, depth)
            return Function(**_typed(fields, source=str, name=str, bound=dict, build=bool))
        raise WireError(f"A header holds a node that is not plain data, {tag[:20]!r}.")

    def items(self, content: Any, depth: int) -> dict[str, Any]:
        if not isinstance(content, dict):
            raise WireError("A header holds a dict that is none.")
        return {key: self.value(item, depth + 1) for key, item in content.items()}

    def blob(self, number: Any) -> Tensor:
        if type(number) is not int or not 0 <= number < len(self.blobs):
            raise WireError("A header names a tensor that the payload does not have.")
        tensor, self.blobs[number] = self.blobs[number], None
        if tensor is None:
            raise WireError("A header names one tensor twice.")
        return tensor

    def data(self, number: Any) -> bytes:
        blob = self.blob(number)
        if blob.dtype is not torch.uint8 or blob.dim() != 1:
            raise WireError("A header takes a tensor for bytes.")
        return blob.numpy().tobytes()

    def tensor(self, number: Any, is_complex: Any, *layout: Any) -> Tensor:
        tensor = self.blob(number)
        if not layout:
            self.count(tuple(tensor.shape))
        if tensor.dtype not in NAMES:
            raise WireError(f"A tensor has the dtype {tensor.dtype}.")
        if tensor.dtype is torch.bool and bool((tensor.view(torch.uint8) > 1).any()):
            raise WireError("A boolean tensor holds bytes that are neither true nor false.")
        if is_complex not in (True, False):
            raise WireError("A tensor is neither complex nor real.")
        if is_complex:
            tensor = torch.view_as_complex(tensor)
        if not layout:
            return tensor
        shape, order, gaps = layout
        if not (_integers(shape) and _integers(order) and gaps in (True, False)):
            raise WireError("A tensor's layout is malformed.")
        if not len(shape) == len(order) == tensor.dim() or sorted(order) != list(range(len(order))):
            raise WireError("A tensor's layout does not fit its shape.")
        self.count(tuple(shape))
        return _laid_out(tensor, shape, order, gaps)


def _integers(value: Any) -> bool:
    return isinstance(value, list) and all(type(each) is int and each >= 0 for each in value)


def _typed(found: dict[str, Any], **types: type) -> dict[str, Any]:
    if {name: type(value) for name, value in found.items()} != types:
        raise WireError("A header holds a record whose fields are not as they should be.")
    return found
