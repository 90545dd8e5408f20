"""Calls by request: functions, layers, arguments that travel as source, gradients."""

import linecache
import math

import pytest
import torch
from torch import nn

from autograder.checking import built, portable
from autograder.remote.calling import Home, described, spread
from autograder.remote.requests import CallRequest, Reply
from autograder.remote.subject import NotStarted, Raised
from autograder.remote.values import Ref
from tests.checking.samples import Scale, subject


def times(x, factor):
    return factor * math.sqrt(4) * x


def layer(size):
    made = nn.Linear(size, 1, bias=False)
    nn.init.constant_(made.weight, 2.0)
    return made


def test_a_function_travels_with_its_bound_values():
    apply = subject(lambda function, x: function(x))
    assert torch.equal(
        apply(portable(times, factor=torch.tensor(3.0)), torch.ones(2)), 6 * torch.ones(2)
    )
    assert apply(portable(times, factor=3), 1) == 6.0


def test_an_object_is_built_where_the_code_runs():
    apply = subject(lambda module, x: module(x))
    assert apply(built(layer, size=3), torch.ones(1, 3)).item() == 6.0


@pytest.mark.parametrize("kind", [list, dict, tuple])
def test_an_instance_of_the_code_s_own_class_is_an_object_whatever_it_is_besides(kind):
    class Cache(kind):
        def size(self):
            return len(self)

    made = subject(Cache)()
    assert made.is_instance and made.call("size") == 0


def test_only_a_plain_function_travels():
    with pytest.raises(TypeError, match="plain `def`"):
        portable(lambda x: x)


def test_a_layer_is_called_loaded_and_listed():
    made = subject(Scale)(3)
    assert made.is_instance
    assert torch.equal(made(torch.ones(3)), torch.ones(3))
    made.load({"weight": torch.tensor([1.0, 2.0, 3.0])})
    assert torch.equal(made(torch.ones(3)), torch.tensor([1.0, 2.0, 3.0]))
    assert torch.equal(made.parameters()["weight"], torch.tensor([1.0, 2.0, 3.0]))
    assert (made.call("append", torch.ones(4)), made.call("__len__")) == (4, 4)


class Shared(nn.Module):
    """Two names for one layer."""

    def __init__(self):
        super().__init__()
        self.one = self.two = Scale(3)


def test_weights_that_do_not_fit_are_named():
    made = subject(Scale)(3)
    with pytest.raises(Raised, match="there is no parameter bias; its parameters are: weight"):
        made.load({"bias": torch.ones(3)})
    with pytest.raises(Raised, match=r"the parameter weight has shape \[3\], not \[4\]"):
        made.load({"weight": torch.ones(4)})
    shared = subject(Shared)()
    words = "the parameters one.weight and two.weight are one and the same"
    with pytest.raises(Raised, match=words):
        shared.load({"two.weight": torch.ones(3)})
    with pytest.raises(Raised, match="object is not an nn.Module, so it has no parameters"):
        subject(object)().load({})


def test_modes_and_dtypes_are_set():
    class Mode(nn.Module):
        def forward(self):
            return self.training

    made = subject(Mode)()
    assert made() is True
    made.train(False)
    assert made() is False


def test_gradients_are_by_path_and_by_name():
    made = subject(Scale)(3)
    found = made.gradients(torch.ones(3))
    assert torch.allclose(found.inputs["0"], torch.cos(1.7 * torch.arange(3) + 0.3))
    assert torch.allclose(found.parameters["weight"], found.inputs["0"])
    found = subject(lambda xs, y: xs[1] * 2).gradients(
        [torch.ones(2), torch.ones(2)], y=torch.ones(1)
    )
    assert list(found.inputs) == ["0.0", "0.1", "y"]
    assert not found.inputs["0.0"].any() and found.inputs["0.1"].all()


def test_the_student_gets_copies():
    x = torch.ones(3)

    def spoil(x):
        x.zero_()
        return x

    value, left = subject(spoil).with_inputs(x)
    assert torch.equal(x, torch.ones(3))
    assert not left["0"].any() and not value.any()


def test_a_result_is_looked_at_again_after_a_further_call():
    kept = torch.zeros(3)

    def rewriting(x):
        return kept.copy_(2 * x)

    x, y = torch.ones(3), torch.arange(3.0)
    value, later = subject(rewriting).then((y,), x)
    assert torch.equal(value, 2 * x) and torch.equal(later, 2 * y)
    value, later = subject(lambda x: 2 * x).then((y,), x)
    assert torch.equal(value, 2 * x) and torch.equal(later, value)
    assert subject(rewriting).then(None, x)[1] is None


def test_what_the_further_call_raises_is_not_asked_for():
    def refusing(x):
        if x[0] == 0:
            raise ValueError("zero")
        return [1, x]

    value, later = subject(refusing).then((torch.zeros(1),), torch.ones(1))
    assert value == later == [1, torch.ones(1)]


def test_one_tensor_in_several_places_is_one_object():
    def alike(x, others, y):
        return [x is other for other in (*others, y)]

    x, y = torch.ones(3), torch.zeros(3)
    assert subject(alike)(x, [x, y], x) == [True, False, True]
    assert subject(alike)(x, [x.clone(), y], x.clone()) == [False, False, False]


def test_requests_and_replies_of_an_older_version_are_understood():
    message = {"op": "call", "target": "f", "args": (torch.ones(2),), "kwargs": {}}
    reply = Home({"f": lambda x: x + 1}).perform(message)
    assert torch.equal(Reply.of(reply).value, torch.full((2,), 2.0))
    assert "later" not in reply


def test_inputs_that_are_not_contiguous_stay_so():
    x = spread(torch.arange(6.0).reshape(2, 3))
    assert not x.is_contiguous() and torch.equal(x, torch.arange(6.0).reshape(2, 3))
    assert subject(lambda x: x.is_contiguous())(x) is False


def test_what_runs_is_watched():
    watched = subject(lambda x: torch.softmax(x, -1), watch=True)
    watched(torch.ones(3))
    assert {"softmax", "_softmax"} <= watched.used
    quiet = subject(lambda x: (x[:, None] * x).sum())
    assert quiet.largest(torch.ones(5)) == 25
    assert quiet.used >= {"sum"}


def test_watching_does_not_import_what_takes_seconds():
    import subprocess
    import sys

    code = (
        "import sys, torch\n"
        "from autograder.remote.library import Watch\n"
        "with Watch() as watch:\n"
        "    torch.softmax(torch.ones(3), -1)\n"
        "assert '_softmax' in watch.names and watch.largest == 3\n"
        "assert 'torch._dynamo' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=120)


def test_a_stub_is_told_from_what_torch_has_not_implemented():
    def stub(x):
        raise NotImplementedError

    def torch_has_not(x):
        raise NotImplementedError("\"baddbmm\" not implemented for 'Half'")

    with pytest.raises(NotStarted):
        subject(stub)(1)
    with pytest.raises(Raised, match="NotImplementedError: .*Half"):
        subject(torch_has_not)(1)


def test_an_unknown_name_is_a_name_error():
    reply = Home({}).answer(CallRequest("gone"))
    assert reply.error.type == "NameError"
    assert reply.error.message == "name 'gone' is not defined"


@pytest.mark.parametrize(
    ("filename", "where"),
    [
        ("<ipython-input-3-5bd20fb5d166>", "line 2 of half: return x / 0"),  # in the sandbox
        ("ipykernel_77/1234567.py", "line 2 of half: return x / 0"),  # JupyterLab
        ("ipython-input-1234567.py", "line 2 of half: return x / 0"),  # Colab
        ("/somewhere/a_library.py", ""),
    ],
)
def test_the_last_line_of_a_cell_is_told(monkeypatch, filename, where):
    source = "def half(x):\n    return x / 0\n"
    lines = (len(source), None, source.splitlines(True), filename)
    monkeypatch.setitem(linecache.cache, filename, lines)
    names = {}
    exec(compile(source, filename, "exec"), names)
    with pytest.raises(ZeroDivisionError) as raised:
        names["half"](1)
    assert described(raised.value).where == where


def test_the_interrupt_of_the_learner_gets_through():
    def interrupted():
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        subject(interrupted)()


def test_results_are_plain():
    import numpy as np

    class Number(float):
        pass

    class Text(str):
        pass

    class Special(torch.Tensor):
        pass

    def result_of(value):
        home = Home({"f": lambda: value})
        return home.answer(CallRequest("f")).value

    for value, kind in [
        (Number(1.5), float),
        (Text("a"), str),
        (True, bool),
        (np.float64(2.0), float),
        (np.float32(2.0), torch.Tensor),
        (torch.ones(2).as_subclass(Special), torch.Tensor),
        (nn.Parameter(torch.ones(2)), torch.Tensor),
        (torch.float32, str),
        (object(), Ref),
        (None, type(None)),
    ]:
        assert type(result_of(value)) is kind
    assert result_of({1: (Number(1.0), [None])}) == {"1": (1.0, [None])}


def test_layers_threads_and_the_engine_of_autograd_are_watched():
    def in_a_thread(x):
        from concurrent.futures import ThreadPoolExecutor

        with ThreadPoolExecutor(1) as pool:
            return pool.submit(torch.log_softmax, x, -1).result()

    def by_the_engine(x):
        x = x.requires_grad_()
        return torch.autograd.grad((x * x).sum(), x)[0]

    for function, name in (
        (in_a_thread, "_log_softmax"),
        (by_the_engine, "backward"),
        (lambda x: nn.LayerNorm(3)(x), "LayerNorm"),
    ):
        watched = subject(function, watch=True)
        watched(torch.ones(3))
        assert name in watched.used
    with_own = subject(lambda x: Scale(3)(x), watch=True)
    with_own(torch.ones(3))
    assert "Scale" not in with_own.used


def test_an_array_of_numpy_is_no_tensor():
    import numpy as np

    reply = Home({"f": lambda: (np.ones(2), 1.0)}).answer(CallRequest("f"))
    assert reply.error.type == "TypeError" and "NumPy" in reply.error.message


def test_operations_are_counted():
    def in_a_loop(x):
        return torch.stack([2 * row for row in x])

    assert subject(lambda x: 2 * x).steps(torch.ones(9, 2)) == 1
    few, many = (subject(in_a_loop).steps(torch.ones(size, 2)) for size in (3, 30))
    assert many > 5 * few


def test_gradients_may_be_asked_of_some_results():
    both = subject(lambda x: (x, 3 * x))
    x = torch.tensor([1.0])
    found = [both.gradients_of(None, x, of=of).inputs["0"].item() for of in (None, (0,), (1,))]
    assert found[0] == pytest.approx(found[1] + found[2]) and found[2] == pytest.approx(
        3 * found[1]
    )


def test_gradients_reach_the_arguments_of_an_earlier_call():
    class Keeping:
        detached = False

        def append(self, x):
            self.x = x.detach() if self.detached else getattr(self, "x", 0) + x
            return self.x

    class Cutting(Keeping):
        detached = True

    x = torch.tensor([1.0, 2.0])
    for kind, reached in ((Keeping, True), (Cutting, False)):
        found = subject(kind)().gradients_of("append", x, before=(x,))
        assert found.inputs["before.0"].any().item() is reached


def test_an_earlier_result_that_is_written_into_has_no_gradient():
    class Writing:
        def append(self, x):
            self.room = getattr(self, "room", torch.zeros(4))
            self.room[: len(x)] = x
            return self.room[: len(x)]

    x = torch.tensor([1.0, 2.0])
    with pytest.raises(Raised, match="modified by an inplace operation"):
        subject(Writing)().gradients_of("append", x, before=(x,))


def test_a_result_that_hangs_on_nothing_is_told_from_one_without_a_slope():
    x = torch.ones(2)
    assert subject(lambda x: 0 * x.sum()).gradients(x).connected
    assert not subject(lambda x: x.new_zeros(())).gradients(x).connected
    assert not subject(lambda x: x.new_zeros((), requires_grad=True)).gradients(x).connected


def test_a_buffer_is_what_it_was_after_a_detour_through_float64():
    class Exact(nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("third", torch.tensor(1 / 3, dtype=torch.float64))

        def forward(self, x):
            return x * self.third

    made, x = subject(Exact)(), torch.ones(1, dtype=torch.float64)
    for _ in range(2):
        made.to("float64")
        assert made(x).item() == 1 / 3
        made.to("float32")
