"""How a session ends before it has answered, and why none can be had."""


class SandboxError(Exception):
    """A session is over, and why."""


class SandboxUnavailable(SandboxError):
    """No sandbox can be had on this machine; the message says how to get one."""


class SandboxTimeout(SandboxError):
    """The answer did not come in time."""


class SandboxMemory(SandboxError):
    """The process ended because it ran out of memory."""


class SandboxCrashed(SandboxError):
    """The process ended by itself: an exit, a fault, an abort."""
