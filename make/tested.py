"""Write down that everything ran today with the versions that are installed: book/tested.json.

The weekly run does so at its end; the book's first page says it.
"""

import json
import sys
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def main(target: Path = ROOT / "book" / "tested.json") -> None:
    record = {
        "date": datetime.now(UTC).date().isoformat(),
        "torch": version("torch").partition("+")[0],
    }
    target.write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
