"""Does data cross the wall unchanged, and does nothing else cross it?"""

import contextlib
import json
import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors.torch import save

from autograder.remote.values import Function, Ref
from autograder.remote.wire import DTYPES, PREFIX, FrameLimits, WireError, decode, encode, sizes


def same(got, want) -> bool:
    """Equal in type, and in every value down to the sign of a zero."""
    if type(got) is not type(want):
        return False
    if isinstance(want, torch.Tensor):
        alike = got.dtype == want.dtype and got.shape == want.shape
        alike = alike and got.is_contiguous() == want.is_contiguous()
        return alike and torch.equal(bits(got), bits(want))
    if isinstance(want, list | tuple):
        return len(got) == len(want) and all(map(same, got, want))
    if isinstance(want, dict):
        return list(got) == list(want) and all(same(got[key], want[key]) for key in want)
    if isinstance(want, Function):
        return same(vars(got), vars(want))
    return repr(got) == repr(want)


def bits(tensor: torch.Tensor) -> torch.Tensor:
    if tensor.is_complex():
        tensor = torch.view_as_real(tensor.resolve_conj())
    return tensor.contiguous().reshape(-1).view(torch.uint8)


leaves = (
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats()
    | st.text(st.characters(), max_size=300)
    | st.binary(max_size=300)
    | st.sampled_from(list(DTYPES.values()))
    | st.builds(Ref, st.integers(0, 9))
)
trees = st.recursive(
    leaves,
    lambda items: (
        st.lists(items, max_size=4)
        | st.lists(items, max_size=4).map(tuple)
        | st.dictionaries(st.text(max_size=5), items, max_size=4)
    ),
    max_leaves=12,
)


@given(trees)
@settings(max_examples=200, deadline=None)
def test_every_tree_of_plain_data_arrives_as_it_was_sent(tree):
    assert same(decode(encode(tree)), tree)


@pytest.mark.parametrize("dtype", DTYPES.values(), ids=str)
@pytest.mark.parametrize("shape", [(), (0,), (2, 0, 3), (1,), (3, 4, 2)], ids=str)
def test_every_dtype_and_shape_arrives(dtype, shape):
    tensor = torch.arange(math.prod(shape)).reshape(shape).to(dtype)
    assert same(decode(encode(tensor)), tensor)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bool, torch.complex64], ids=str)
@pytest.mark.parametrize(
    "view",
    [
        lambda x: x.transpose(0, 2),
        lambda x: x.permute(1, 2, 0),
        lambda x: x[..., ::2],
        lambda x: x[:, 1],
        lambda x: x[:, :1].expand(3, 5, 6),
        lambda x: x[0, 0].expand(4, 6).T,
        lambda x: x[..., 0].expand(2, 3, 4),
        lambda x: x.transpose(0, 1)[::2, :, 1:5:3],
        lambda x: x.unfold(2, 3, 1),
        lambda x: x.conj().transpose(0, 1),
    ],
)
def test_a_tensor_that_is_not_contiguous_arrives_as_one(view, dtype):
    tensor = view(torch.arange(72).reshape(3, 4, 6).to(dtype))
    if tensor.shape[0] == 3 and tensor.is_contiguous():
        pytest.skip("this view happens to be contiguous")
    assert same(decode(encode(tensor)), tensor)


def test_one_tensor_in_two_places_arrives_as_two():
    tensor = torch.ones(2)
    first, second = decode(encode((tensor, tensor)))
    first.zero_()
    assert second.tolist() == [1, 1]


def test_the_graph_and_the_subclass_stay_behind():
    class Boastful(torch.Tensor):
        pass

    sent = [torch.ones(2, requires_grad=True) * 2, torch.ones(1).as_subclass(Boastful)]
    sent.append(torch.nn.Parameter(torch.ones(1)))
    for got in decode(encode(sent)):
        assert type(got) is torch.Tensor and not got.requires_grad


def test_a_function_travels_with_what_is_bound_to_it():
    function = Function("def f(x, m): return x @ m", "f", {"m": torch.eye(2)}, build=True)
    assert same(decode(encode(function)), function)
    with pytest.raises(WireError, match="not plain data"):
        decode(encode(function), FrameLimits(functions=False))


class Odd(dict):
    def items(self):
        raise RuntimeError("never asked")


def test_subclasses_of_plain_types_are_stripped_without_asking_them():
    assert decode(encode(Odd(a=1))) == {"a": 1}


@pytest.mark.parametrize(
    "value",
    [
        object(),
        {1: 2},
        {1, 2},
        print,
        torch.nn.Linear(1, 1),
        torch.ones(2).to_sparse(),
        torch.empty(2, device="meta"),
        torch.ones(2).to(torch.float8_e4m3fn),
        2**2000,
    ],
    ids=lambda value: type(value).__name__,
)
def test_anything_else_is_refused_in_one_sentence(value):
    with pytest.raises(WireError) as caught:
        encode([value])
    assert "\n" not in str(caught.value) and str(caught.value).endswith(".")


def nested(depth: int) -> list:
    value: list = []
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize(
    ("value", "limits", "said"),
    [
        (nested(20), FrameLimits(depth=10), "more than 10 deep"),
        ([0] * 50, FrameLimits(nodes=20), "more than 20 parts"),
        (torch.ones(5, 5), FrameLimits(elements=24), "25 elements, over 24"),
        (torch.ones(1).expand(1000), FrameLimits(elements=100), "1000 elements"),
        (b"x" * 2000, FrameLimits(frame_bytes=1000), "bytes, over 1000"),
        (["x" * 100] * 20, FrameLimits(header_bytes=1000), "header has"),
    ],
)
def test_each_limit_holds_on_both_sides(value, limits, said):
    frame = encode(value)
    with pytest.raises(WireError, match=said):
        decode(frame, limits)
    with pytest.raises(WireError):
        encode(value, limits)


def test_a_cycle_ends_at_the_depth_limit():
    cycle: list = []
    cycle.append(cycle)
    with pytest.raises(WireError, match="deep"):
        encode(cycle)


def frame(header, payload: bytes = b"") -> bytes:
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return PREFIX.pack(len(text), len(payload)) + text + payload


PAYLOAD = save({"0": torch.ones(2, 3), "1": torch.tensor([2, 1]).byte()})


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"short",
        frame([]),
        frame(b"[" * 100_000),
        frame(b"\xff"),
        frame(b"NaN"),
        frame(b"1e999"),
        frame(b"9" * 5000),
        frame(b'["d", {"a": 1, "a": 2}]'),
        frame(["pickle", "x"]),
        frame(["f", "1"]),
        frame(["f", ["nan"]]),
        frame(["dtype", "int3"]),
        frame(["dtype", {}]),
        frame(["Ref", {"number": "1"}]),
        frame(["Ref", {"number": 1, "more": 1}]),
        frame(["Ref", {}]),
        frame(["Function", {"source": 1}]),
        frame(["T", 0, False]),
        frame(["T", 2, False], PAYLOAD),
        frame(["T", "0", False], PAYLOAD),
        frame(["T", -1, False], PAYLOAD),
        frame(["T", True, False], PAYLOAD),
        frame(["T", 0, False], PAYLOAD),  # 1 is not used
        frame(["l", ["T", 0, False], ["T", 0, False]], PAYLOAD),
        frame(["l", ["b", 0], ["T", 1, False]], PAYLOAD),
        frame(["l", ["T", 0, True], ["T", 1, False]], PAYLOAD),  # 3 numbers make no complex one
        frame(["l", ["T", 0, False, [2, 3], [0, 0], False], ["b", 1]], PAYLOAD),
        frame(["l", ["T", 0, False, [2, 3], [0], False], ["b", 1]], PAYLOAD),
        frame(["l", ["T", 0, False, [2, 4], [0, 1], False], ["b", 1]], PAYLOAD),
        frame(["l", ["T", 0, False, [-1, 3], [0, 1], False], ["b", 1]], PAYLOAD),
        frame(["l", ["T", 0, False, [2, 3], [0, 1], 2], ["b", 1]], PAYLOAD),
        frame(1, b"\xff" * 8),
        frame(1, b"\x02" + b"\0" * 7 + b"{}"[:1]),
        frame(None, PAYLOAD[:-1]),
        frame(None) + b"more",
        PREFIX.pack(2**32 - 1, 2**64 - 1),
    ],
)
def test_malformed_frames_are_wire_errors(data):
    with pytest.raises(WireError) as caught:
        decode(data)
    assert "\n" not in str(caught.value)


def test_a_boolean_tensor_that_is_neither_true_nor_false_is_refused():
    data = encode(torch.tensor([True, False]))
    assert data.endswith(b"\1\0")
    with pytest.raises(WireError, match="neither true nor false"):
        decode(data[:-2] + b"\7\0")


def test_a_tensor_whose_dtype_lies_about_its_length_is_refused():
    data = encode(torch.ones(4))
    with pytest.raises(WireError):
        decode(data.replace(b'"F32"', b'"F64"'))


def test_lengths_are_refused_before_anything_is_read():
    with pytest.raises(WireError, match="over"):
        sizes(PREFIX.pack(10, 2**40))


@given(st.binary(max_size=200))
@settings(max_examples=300, deadline=None)
def test_any_bytes_at_all_are_data_or_a_wire_error(data):
    for candidate in (data, PREFIX.pack(len(data), 0) + data, PREFIX.pack(0, len(data)) + data):
        with contextlib.suppress(WireError):
            decode(candidate)


SEED = encode({"a": [torch.ones(2, 3).T, b"bytes", math.nan, ("x" * 300, torch.ones(2) > 0)]})


@given(st.lists(st.tuples(st.integers(0, len(SEED) - 1), st.integers(0, 255)), max_size=6))
@settings(max_examples=500, deadline=None)
def test_any_damage_to_a_good_frame_is_data_or_a_wire_error(changes):
    data = bytearray(SEED)
    for place, value in changes:
        data[place] = value
    with contextlib.suppress(WireError):
        decode(data)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda items: st.lists(items, max_size=6) | st.dictionaries(st.text(max_size=5), items),
    max_leaves=10,
)
tags = st.sampled_from(["l", "t", "d", "T", "b", "s", "f", "dtype", "Ref", "Function", "x"])


@given(st.lists(json_values, max_size=5), tags)
@settings(max_examples=300, deadline=None)
def test_any_header_is_data_or_a_wire_error(rest, tag):
    with contextlib.suppress(WireError):
        decode(frame([tag, *rest], PAYLOAD))
