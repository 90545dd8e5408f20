"""In which order tests run, and which of them on one worker."""

import pytest

LONG = {"browser", "released"}  # fixtures that take long to make
# What takes longest of what stays on one worker.
LONGEST = ("attacks.test_corpus", "class.test_class", "class.test_as_sent")


@pytest.hookimpl(tryfirst=True)  # before pytest chooses by the markers, and xdist by the groups
def pytest_collection_modifyitems(items):
    """What is exhaustive, opens a browser or needs the whole course released is slow.

    The tests of a module that share a fixture stay on one worker, which makes it once. What takes
    long comes first: a worker that is given it at the end works on it alone.
    """
    for item in items:
        if item.get_closest_marker("exhaustive") or LONG & {*getattr(item, "fixturenames", ())}:
            item.add_marker("slow")
        if item.get_closest_marker("xdist_group") is None and _shares(item):
            item.add_marker(pytest.mark.xdist_group(item.module.__name__.removeprefix("tests.")))
    items.sort(key=_late)


def _shares(item) -> bool:
    if not isinstance(item, pytest.Function):
        return False  # a notebook's cell, or an example in a docstring
    fixtures = item._fixtureinfo.name2fixturedefs.values()
    return any(found[-1].scope == "module" for found in fixtures)


def _late(item) -> int:
    group = item.get_closest_marker("xdist_group")
    if group:
        return 0 if group.args[0] in LONGEST else 1
    return 2 if item.get_closest_marker("slow") else 3
