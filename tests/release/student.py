"""What a student does with the bundle: unpack, install, run; away from the repository."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import nbformat

from tests.release.miniature import REPOSITORY

ONLY_WHAT_IS_INSTALLED = """\
import sys
sys.path[:] = [
    path
    for path in sys.path
    if path.startswith(sys.prefix) or not path.startswith({repository!r})
]
"""


def elsewhere(site: Path) -> dict[str, str]:
    """An environment in which the repository cannot be imported, as on a student's machine.

    `site` holds what the student installed; the repository's own installation is hidden.
    """
    (site / "sitecustomize.py").write_text(
        ONLY_WHAT_IS_INSTALLED.format(repository=str(REPOSITORY))
    )
    quick = {"OMP_NUM_THREADS": "1", "ATTENTION_COURSE_QUICK": "1"}
    return os.environ | {"PYTHONPATH": str(site)} | quick


def run(notebook: Path, site: Path) -> nbformat.NotebookNode:
    """The notebook as it is after running it from top to bottom."""
    code = (
        "import sys, nbformat, nbclient\n"
        "notebook = nbformat.read(sys.argv[1], as_version=4)\n"
        "nbclient.NotebookClient(notebook, kernel_name='python3', timeout=300).execute()\n"
        "nbformat.write(notebook, sys.argv[1])\n"
    )
    subprocess.run(
        [sys.executable, "-c", code, str(notebook)],
        env=elsewhere(site),
        cwd=notebook.parent,
        check=True,
        timeout=900,
    )
    return nbformat.read(notebook, as_version=4)


def install(wheel: Path, site: Path) -> None:
    """Install a wheel alone into a folder."""
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index"]
    subprocess.run([*command, "--target", str(site), str(wheel)], check=True)


def results(notebook) -> dict[str, str]:
    """The last value of every check cell."""
    return {
        cell.metadata.nbgrader.grade_id: output.data["text/plain"]
        for cell in notebook.cells
        if "check-" in cell.metadata.get("nbgrader", {}).get("grade_id", "")
        for output in cell.outputs
        if output.output_type == "execute_result"
    }


def complaints(notebook) -> list:
    """Errors, and whatever went to stderr, which stock nbgrader scores with zero."""
    return [
        output
        for cell in notebook.cells
        for output in cell.get("outputs", [])
        if output.output_type == "error" or output.get("name") == "stderr"
    ]


def unpack(bundle: Path, folder: Path) -> tuple[Path, Path]:
    """Unpack a bundle into a folder and install its wheel beside it; return both places."""
    with zipfile.ZipFile(bundle) as archive:
        archive.extractall(folder)
    unpacked, site = folder / "attention-course", folder / "site"
    (wheel,) = unpacked.glob("*.whl")
    install(wheel, site)
    return unpacked, site
