"""How much one submission may take."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """How long one cell or one check may take, and how much a submission may use."""

    seconds: float = 20.0
    memory_bytes: int = 2 * 2**30
    sandbox: bool = True
    container: bool = False  # in place of the sandbox; see container.py
