"""Is what is committed fit for other machines?"""

import json
import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# Paths of one person's machine, as they slip into notebooks' outputs and settings.
MACHINE_PATHS = re.compile(
    r"/(?:home|Users|root)/[\w.-]+/|/tmp/[\w-]+/|[A-Z]:\\Users\\"
)  # the machine paths themselves
LARGEST_MB = 5


def committed() -> list[Path]:
    """What git has, or would take."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True).stdout
    paths = [ROOT / name for name in listed.split("\0") if name]
    return [path for path in paths if path.is_file() and not path.is_symlink()]


def texts() -> list[tuple[Path, str]]:
    found = []
    for path in committed():
        try:
            found.append((path.relative_to(ROOT), path.read_text(encoding="utf-8")))
        except UnicodeDecodeError:
            continue
    return found


def test_no_file_holds_a_path_of_somebodys_machine():
    found = [
        f"{path}:{number}: {line.strip()[:100]}"
        for path, text in texts()
        for number, line in enumerate(text.splitlines(), 1)
        if MACHINE_PATHS.search(line) and "machine paths" not in line
    ]
    assert not found, "\n".join(found)


def test_nothing_generated_is_committed():
    generated = ("build/", ".venv/", "dist/")
    names = [path.relative_to(ROOT).as_posix() for path in committed()]
    assert not [name for name in names if name.startswith(generated) or "__pycache__" in name]


def test_no_file_is_large():
    for path in committed():
        assert path.stat().st_size < LARGEST_MB * 1e6, path


def test_lines_end_alike():
    assert not [path for path, text in texts() if "\r\n" in text]


def test_notebooks_keep_what_differs_from_machine_to_machine_out():
    for path in sorted((ROOT / "book").glob("*.ipynb")):
        notebook = json.loads(path.read_text(encoding="utf-8"))
        assert notebook["metadata"]["language_info"] == {"name": "python"}, (
            f"{path.name}: run `make notebooks`"
        )
        assert notebook["metadata"]["kernelspec"]["name"] == "python3", path.name
        for cell in notebook["cells"]:
            assert "execution" not in cell["metadata"], f"{path.name}: timings in {cell['id']}"


def test_both_licenses_are_whole():
    assert "Permission is hereby granted, free of charge" in (ROOT / "LICENSE").read_text()
    text = (ROOT / "LICENSE-text").read_text()
    assert text.startswith("Attribution 4.0 International")
    assert all(f"Section {number} --" in text for number in range(1, 9))
