"""The fork server, which sessions come from: started when asked for, replaced when it died."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

from autograder.sandbox.limits import Limits
from autograder.sandbox.process import SandboxProcess

if TYPE_CHECKING:  # it needs PyTorch, and this process starts while that is imported
    from autograder.sandbox.session import Session


class ForkServer(Protocol):
    """What gives each submission a fresh process of its own; one caller at a time."""

    @property
    def alive(self) -> bool:
        """Whether new sessions can be had."""

    def session(self) -> "Session":
        """A fresh process for one submission."""

    def close(self) -> None:
        """End it and every session of it."""


_running: dict[Limits, ForkServer] = {}  # of this process


def fork_server(limits: Limits) -> ForkServer:
    """A live fork server; its first session waits until it is ready."""
    if limits in _running and not _running[limits].alive:
        end(limits)
    if limits not in _running:
        _running[limits] = _kind(limits)(memory_bytes=limits.memory_bytes)
    return _running[limits]


def end(limits: Limits) -> None:
    """End the fork server that there is for these limits, if there is one."""
    if limits in _running:
        _running.pop(limits).close()


def _kind(limits: Limits) -> Callable[..., ForkServer]:
    if limits.container:
        from autograder.sandbox.container import ContainerProcess

        return ContainerProcess
    if not limits.sandbox:
        from autograder.sandbox.unsafe import UnsafeProcess

        return UnsafeProcess
    return SandboxProcess
