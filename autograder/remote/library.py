"""The one door to what only PyTorch itself has: its modes, its kernels, its random state.

Whoever brings another package with torch's names writes this module anew for it, and none other.
"""

import contextlib
import sys
import threading
import tracemalloc
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.modules.module import register_module_forward_pre_hook
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode

from autograder.remote.values import tensors


def plain_values(tensor: Tensor) -> Tensor:
    """A tensor of its own with the same values, whatever class the given one is of."""
    with torch._C.DisableTorchFunctionSubclass():
        return Tensor.detach(tensor).as_subclass(Tensor).clone().contiguous()


@contextlib.contextmanager
def seeded(seed: int) -> Iterator[None]:
    """Random draws from that seed, while it lasts."""
    with torch.random.fork_rng(devices=[]):
        # Not `torch.manual_seed`, which looks for other devices each time.
        torch.default_generator.manual_seed(seed)
        yield


class _Watching:
    def __init__(self, watch: "Watch") -> None:
        super().__init__()
        self.watch = watch


class _Functions(_Watching, TorchFunctionMode):
    def __torch_function__(self, func, types, args=(), kwargs=None):
        self.watch.names.add(getattr(func, "__name__", ""))
        return func(*args, **(kwargs or {}))


class _Operations(_Watching, TorchDispatchMode):
    """Its method follows below."""


def _dispatch(self, func, types, args=(), kwargs=None):
    self.watch.names.add(getattr(func, "overloadpacket", func).__name__)
    if torch._C._current_graph_task_id() != -1:
        self.watch.names.add("backward")  # the engine of autograd runs, whoever called it
    self.watch.steps += 1
    result = func(*args, **(kwargs or {}))
    made = [result] if type(result) is Tensor else [tensor for _, tensor in tensors(result)]
    self.watch.largest = max(self.watch.largest, *(tensor.numel() for tensor in made), 0)
    return result


# Set after the class is made: a method in its body would be wrapped so that the first call imports
# torch._dynamo, which takes seconds.
_Operations.__torch_dispatch__ = _dispatch


# What the doors of the families that an exercise may forbid lead to on a CPU.
OPERATIONS = (
    "_softmax",
    "_log_softmax",
    "_masked_softmax",
    "native_layer_norm",
    "native_batch_norm",
    "native_group_norm",
    "_scaled_dot_product_flash_attention_for_cpu",
    "_native_multi_head_attention",
    "_transformer_encoder_layer_fwd",
)
_under_way: list["Watch"] = []
_held: list[Any] = []  # as long as these are there, the kernels say that they run


def hold_operations() -> None:
    """Let kernels of torch's own tell every watch that they run.

    In threads that began earlier too, and with torch's modes disabled or taken off: those are of
    one thread, and the table of kernels is the process's. Older versions of torch give none out.
    """
    if _held or not hasattr(torch.library, "get_kernel"):
        return
    library = torch.library.Library("aten", "IMPL")
    _held.append(library)
    for name in OPERATIONS:
        packet = getattr(torch.ops.aten, name, None)
        for overload in packet.overloads() if packet else ():
            operation = getattr(packet, overload)
            if torch._C._dispatch_has_kernel_for_dispatch_key(operation.name(), "CPU"):
                kernel = torch.library.get_kernel(operation, "CPU")
                library.impl(operation, _telling(name, kernel), "CPU", with_keyset=True)


def _telling(name: str, kernel: Any) -> Callable[..., Any]:
    def tell(keys: Any, *args: Any, **kwargs: Any) -> Any:
        for watch in _under_way:
            watch.names.add(name)
        return kernel.call_boxed(keys, *args, **kwargs)

    return tell


class Watch:
    """Notes which torch functions run and how many, and the largest tensor that they make.

    Layers of torch's count by their class, and threads that are started meanwhile are watched too;
    see `hold_operations` for those that were started before.
    """

    def __init__(self) -> None:
        self.names: set[str] = set()
        self.largest = 0
        self.steps = 0

    def __enter__(self) -> "Watch":
        self._hook = register_module_forward_pre_hook(self._layer)
        self._profile = threading.getprofile()
        threading.setprofile(self._thread)
        self._modes = self._watching()
        _under_way.append(self)
        return self

    def __exit__(self, *error: Any) -> None:
        _under_way.remove(self)
        for mode in reversed(self._modes):
            mode.__exit__(*error)
        threading.setprofile(self._profile)
        self._hook.remove()

    def _watching(self) -> tuple[Any, ...]:
        """This thread's modes, entered."""
        modes = (_Functions(self), _Operations(self))
        for mode in modes:
            mode.__enter__()
        return modes

    def _thread(self, *_: Any) -> None:
        """What a new thread does first."""
        sys.setprofile(None)
        self._watching()

    def _layer(self, module: nn.Module, _: Any) -> None:
        own = (kind for kind in type(module).__mro__ if kind.__module__.startswith("torch.nn."))
        self.names |= {kind.__name__ for kind in own}


@contextlib.contextmanager
def traced() -> Iterator[list[int]]:
    """The bytes that Python and NumPy held at most, once it is over; torch's are none of those."""
    peak: list[int] = []
    tracemalloc.start()
    try:
        yield peak
        peak.append(tracemalloc.get_traced_memory()[1])
    finally:
        tracemalloc.stop()
