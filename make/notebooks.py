"""Run chapters in place and store their outputs: all, or those named on the command line."""

import sys
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

ROOT = Path(__file__).resolve().parent.parent
KERNEL = {"display_name": "Python 3", "language": "python", "name": "python3"}


def main() -> int:
    chapters = [Path(name) for name in sys.argv[1:]] or sorted((ROOT / "book").glob("*.ipynb"))
    for path in chapters:
        print(f"Running {path.name} ...", flush=True)
        notebook = nbformat.read(path, as_version=4)
        client = NotebookClient(
            notebook,
            timeout=600,
            kernel_name="python3",
            record_timing=False,
            resources={"metadata": {"path": str(path.parent)}},
        )
        try:
            client.execute()
        except CellExecutionError as error:
            print(f"{path.name} was left as it was: {error}", file=sys.stderr)
            return 1
        # The kernel's version and the like differ from machine to machine.
        notebook.metadata = {"kernelspec": KERNEL, "language_info": {"name": "python"}}
        nbformat.write(notebook, path)
    return 0


if __name__ == "__main__":
    sys.exit(main())
