"""A process's sandbox: started when first asked for, replaced when it has died."""

import functools
from typing import TYPE_CHECKING

from autograder.sandbox.limits import Limits
from autograder.sandbox.warm import WarmProcess

if TYPE_CHECKING:
    from autograder.sandbox.container import ContainerProcess
    from autograder.sandbox.unsafe import UnsafeProcess

    Warm = WarmProcess | ContainerProcess | UnsafeProcess


class Workshop:
    """A warm sandbox that is started when first needed and replaced when it has died."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._warm: Warm | None = None

    def warm(self) -> "Warm":
        """A live warm process; its first session waits until it is ready."""
        if self._warm is not None and not self._warm.alive:
            self.close()
        if self._warm is None:
            self._warm = self._kind()(memory_bytes=self._limits.memory_bytes)
        return self._warm

    def _kind(self) -> "type[Warm]":
        if self._limits.container:
            from autograder.sandbox.container import ContainerProcess

            return ContainerProcess
        if not self._limits.sandbox:
            from autograder.sandbox.unsafe import UnsafeProcess

            return UnsafeProcess
        return WarmProcess

    def close(self) -> None:
        """End the sandbox."""
        if self._warm is not None:
            self._warm.close()
            self._warm = None


@functools.cache
def workshop(limits: Limits) -> Workshop:
    """This process's sandbox."""
    return Workshop(limits)
