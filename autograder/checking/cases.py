"""Cases that checks have in common: the shapes and numbers at which wrong code shows."""

from collections.abc import Iterator

# For `agrees`, where a case is about values, and the rest of the battery was asked of another.
VALUES = {"gradients": False, "contiguous": False, "double": False, "unchanged": False}


def each_one(**sizes: int) -> Iterator[tuple[str, dict[str, int]]]:
    """The sizes with each of them in turn as 1, named: a `squeeze()` or a lost axis shows."""
    for name in sizes:
        yield f"{name} = 1", sizes | {name: 1}
