"""Known mistakes made in alternatives of other styles than the references'.

A module per chapter, with `RESTYLED`: exercise -> (style, changes of that alternative, the key of
the mistake).
"""

import functools
import importlib
import pkgutil

Restyled = tuple[str, dict[str, str], str]


@functools.cache
def restyled() -> dict[str, list[Restyled]]:
    """Every such mistake by exercise."""
    found: dict[str, list[Restyled]] = {}
    for module in pkgutil.iter_modules(__path__):
        found |= importlib.import_module(f"{__name__}.{module.name}").RESTYLED
    return found
