"""What the browser of a reader keeps who solves in the page: every page, and what pages load.

`offline.json` lists it with its size; `offline-worker.js` answers from it where there is no
connection. Both are asked for by `_static/offline.js`, on a reader's click. The models that figures
compute with are left out, which are many times larger: those that a reader has seen are kept.
"""

import gzip
import hashlib
import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

from sphinx.application import Sphinx

LIST = "offline.json"
WORKER = "offline-worker.js"
NAMED = re.compile(r"""(?<=["'\s])(?:_static|_images)/[\w./-]+(?:\?[\w=.-]+)?|searchindex\.js""")
BY_STYLE = re.compile(r"url\(([\w./-]+)\)")
BY_SCRIPT = re.compile(r'new URL\("([\w./-]+)", here\)')
FETCHED = {".css", ".js", ".json", ".png", ".svg", ".webp", ".woff2"}


def kept(site: Path) -> Iterator[str]:
    """The addresses of pages and of what they load, beside each other's folder."""
    for page in sorted(site.glob("*.html")):
        yield page.name
        for address in NAMED.findall(page.read_text(encoding="utf-8")):
            yield address
            yield from loaded_by(site, file_of(address))


def loaded_by(site: Path, name: str) -> Iterator[str]:
    """What a sheet or a script loads in its turn."""
    path = site / name
    pattern = {".css": BY_STYLE, ".js": BY_SCRIPT}.get(path.suffix)
    if pattern is None or not path.is_file():
        return
    for address in pattern.findall(path.read_text(encoding="utf-8")):
        loaded = (path.parent / address).resolve()
        if loaded.is_file():
            yield loaded.relative_to(site.resolve()).as_posix()


def file_of(address: str) -> str:
    return address.partition("?")[0]


def listed(site: Path) -> dict[str, object]:
    """The list: addresses, megabytes as they go over the wire, and what changes when they do."""
    addresses = sorted(
        address
        for address in set(kept(site))
        if "/models/" not in address
        and (site / file_of(address)).is_file()
        and Path(file_of(address)).suffix in FETCHED | {".html"}
    )
    size, content = 0, hashlib.sha256()
    for address in addresses:
        data = (site / file_of(address)).read_bytes()
        size += len(gzip.compress(data, 6))
        content.update(data)
    version = content.hexdigest()[:12]
    return {"version": version, "megabytes": round(size / 1e6, 1), "addresses": addresses}


def write(app: Sphinx, error: Exception | None) -> None:
    """Lay the list and the worker into the site, when all else is there."""
    if error or app.builder.format != "html":
        return
    site = Path(app.outdir)
    shutil.copy(Path(app.srcdir) / "_offline" / WORKER, site)
    (site / LIST).write_text(json.dumps(listed(site)), encoding="utf-8")


def setup(app: Sphinx) -> dict:
    app.connect("build-finished", write, priority=950)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
