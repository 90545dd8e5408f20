"""Which packages a submission can import: the same ones wherever it is graded.

What a learner installs, and a few that notebooks often import. Others that happen to be installed
beside the grader are hidden, or a notebook would get its points on one machine and not on another.
"""

import functools
import json
import re
import sys
from collections.abc import Iterable, Sequence
from importlib.machinery import ModuleSpec, PathFinder
from importlib.metadata import PackageNotFoundError, distribution, requires
from pathlib import Path
from types import ModuleType

# What a learner installs, and the extra `notebooks` of pyproject.toml; Colab has all of them. They
# are written here too: on Gradescope the project lies beside its packages and is not installed.
LEARNERS = (
    "torch",
    "numpy",
    "matplotlib",
    "Pillow",
    "scikit-learn",
    "Babel",
    "tqdm",
    "ipykernel",
    "safetensors",
    "fsrs",
)
NOTEBOOKS = ("einops", "jaxtyping", "pandas", "seaborn")
IMPORTABLE = "packages.json"
# Imported by the chapters beside the course itself, and known without reading what is installed,
# which takes a second. (altair draws in the book alone.)
USUAL = {"torch", "numpy", "matplotlib", "altair", "sklearn", "babel", "tqdm"}
# Read by tools that come with every environment; they are nobody's requirement.
ALWAYS = ("pip", "setuptools", "wheel")


def _canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _required_by(name: str, extras: frozenset[str]) -> list[tuple[str, frozenset[str]]]:
    from packaging.requirements import Requirement

    try:
        lines = requires(name) or []
    except PackageNotFoundError:
        return []
    dependencies = []
    for requirement in map(Requirement, lines):
        wanted = ({"extra": extra} for extra in extras | {""})
        if not requirement.marker or any(map(requirement.marker.evaluate, wanted)):
            dependencies.append((_canonical(requirement.name), frozenset(requirement.extras)))
    return dependencies


@functools.cache
def for_submissions() -> frozenset[str]:
    """The distributions that a submission may use, with all that they need."""
    todo = [(_canonical(name), frozenset[str]()) for name in (*LEARNERS, *NOTEBOOKS)]
    seen = set(todo)
    while todo:
        new = set(_required_by(*todo.pop())) - seen
        seen |= new
        todo += new
    return frozenset(name for name, _ in seen) | frozenset(ALWAYS)


@functools.cache
def modules() -> frozenset[str]:
    """The modules of those distributions, by their first names."""
    names: set[str] = set()
    for name in for_submissions():
        try:
            record = distribution(name).read_text("RECORD") or ""
        except PackageNotFoundError:
            continue
        first = {re.split("[/,]", line, maxsplit=1)[0] for line in record.splitlines()}
        names |= {each.split(".")[0] for each in first if not each.endswith("-info")}
    return frozenset(name for name in names if name.isidentifier())


def not_in_grading(names: Iterable[str]) -> list[str]:
    """Which of these modules a submission cannot import, although a notebook here perhaps can."""
    from autograder.source.content import content  # which is not there inside the sandbox

    course = {__name__.split(".")[0], content().solutions, content().shared}
    unusual = set(names) - USUAL - course - sys.stdlib_module_names
    return sorted(unusual - modules() - set(NOTEBOOKS)) if unusual else []


def note_on_imports(names: Iterable[str]) -> str:
    """What a learner should know of the modules that a notebook imports; nothing if all is well."""
    from autograder.source.content import content

    names = set(names)
    # A chapter of the book itself draws figures with more; it is never handed in.
    lacking = [] if content().solutions in names else not_in_grading(names)
    if not lacking:
        return ""
    *before, last = lacking
    listed = f"{', '.join(before)} and {last}" if before else last
    them = "them" if before else "it"
    return f"Grading does not have {listed}: what your exercises do with {them} fails there."


class AllowedPackages(PathFinder):
    """Finds what Python finds, but for packages that are installed and not for submissions."""

    def __init__(self, allowed: frozenset[str]) -> None:
        self._allowed = allowed | sys.stdlib_module_names

    def find_spec(  # type: ignore[override]  # the finder's own are class methods
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """None for what is hidden, as for what is not there: libraries ask, and do without."""
        spec = PathFinder.find_spec(name, path, target)
        if spec is None or path is not None or name in self._allowed:
            return spec
        origin = spec.origin or ""
        return None if "-packages" in origin or origin.startswith("/packages/") else spec


def hide_others() -> None:
    """From here on, only these packages of those that are installed can be imported."""
    # Inside the sandbox metadata may be out of reach.
    listed = Path(__file__).with_name(IMPORTABLE)
    names = json.loads(listed.read_text()) if listed.exists() else modules()
    allowed = AllowedPackages(frozenset(names))
    sys.meta_path[:] = [allowed if finder is PathFinder else finder for finder in sys.meta_path]
