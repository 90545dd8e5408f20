"""Numbers in prose come from cells: `glue("name", value)` here, {glue:text}`name` there."""

import math
from typing import Any


def glue(name: str, value: Any, display: bool = False) -> None:
    """Keep a value under a name, so that the book's prose can quote it.

    It is what `myst_nb.glue` stores, without needing that package. A tensor or array of one
    element is kept as its number. With `display` the value is shown in the notebook as well.
    """
    from IPython import get_ipython
    from IPython.core.formatters import format_display_data
    from IPython.display import display as publish

    if hasattr(value, "item") and getattr(value, "ndim", 0) == 0:
        value = value.item()
    if get_ipython() is None:
        data, metadata = {"text/plain": repr(value)}, {}
    else:
        data, metadata = format_display_data(value)
    prefix = "" if display else "application/papermill.record/"
    metadata["scrapbook"] = {"name": name, "mime_prefix": prefix}
    publish({prefix + kind: part for kind, part in data.items()}, raw=True, metadata=metadata)


def interval(right: int, total: int) -> tuple[float, float]:
    """The 95% confidence interval of a share that was measured as `right` of `total`.

    Raises ValueError unless 0 <= right <= total and total > 0. Source: Wilson 1927.
    """
    if not 0 <= right <= total or total < 1:
        raise ValueError(f"interval: {right} of {total} is no share")
    z = 1.959964  # 95% of a normal distribution lie within
    share = right / total
    middle = (share + z * z / (2 * total)) / (1 + z * z / total)
    half = z / (1 + z * z / total) * math.sqrt(share * (1 - share) / total + (z / 2 / total) ** 2)
    return max(0.0, middle - half), min(1.0, middle + half)
