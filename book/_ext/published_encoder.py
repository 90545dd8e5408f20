"""The published model of chapter 13 as the page runs it, and the passages that it searches.

Its weights are too large to be kept with the course: they are made for the page when the book is
built, where the model's files can be had (`lab.minilm`), and stay in `build/encoder`. Numbers
become whole ones from -127 to 127, with a factor for every sixteen. In the tables of embeddings,
which matter less, a row has one factor.

The passages are those that chapter 13 searches. Each is embedded once, and again when its text
changes.
"""

import hashlib
import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

from lab import minilm
from section_search import sections
from sphinx.application import Sphinx
from sphinx.util import logging

if TYPE_CHECKING:
    from torch import Tensor

log = logging.getLogger(__name__)

NAME = "minilm"
LIBRARY = "passages"
SEARCHED = {"most": 2, "but": "13-real-encoder"}  # as in chapter 13
ABSENT = (
    "This copy of the book was built without the model's files (see the beginning of this "
    "chapter), so the model cannot run here."
)
NOTICE = (
    f"{minilm.REPOSITORY}, under the Apache License 2.0, which is in LICENSE-minilm. Changed: the "
    "numbers are rounded to eight bits, and what the page does not use is left out."
)
# What the page has no use for; the positions after the longest text are left out as well.
UNUSED = ("pooler.", "position_ids")
GROUP = 16  # numbers with one factor
FORMAT = 2  # of the files that are made here: a higher one makes them anew
AT_ONCE = 16  # texts that are embedded together


def folder(app: Sphinx) -> Path:
    return Path(app.srcdir).parent / "build" / "encoder"


def prepared(app: Sphinx) -> Path | None:
    """The model's file for the page, made if it is not there; None where its weights are not."""
    file = folder(app) / f"{NAME}.safetensors"
    made_of = {"format": FORMAT, "files": minilm.SHA256}
    if stored_about(file).get("made_of") == made_of:
        return file
    weights, tokenizer = minilm.load()
    if weights is None:
        return None
    from solutions.real_encoder import convert_weights

    state = {
        name: tensor
        for name, tensor in convert_weights(weights).items()
        if not name.startswith(UNUSED)
    }
    positions = "position_embedding.weight"
    state[positions] = state[positions][: minilm.MAX_TOKENS]
    vocabulary = sorted(tokenizer.get_vocab().items(), key=lambda entry: entry[1])
    sizes = {"num_layers": 6, "num_heads": 12, "max_tokens": minilm.MAX_TOKENS}
    words = "\n".join(token for token, _ in vocabulary)
    about = {"notice": NOTICE, "sizes": sizes, "vocabulary": words, "made_of": made_of}
    keep(file, rounded(state), **about)
    return file


def rounded(tensors: "dict[str, Tensor]") -> "dict[str, Tensor]":
    """Matrices as whole numbers of eight bits, with their factors as `NAME.scale`."""
    from lab.stored import SCALE, in_eight_bits  # and PyTorch with it

    small = {}
    for name, tensor in tensors.items():
        if tensor.ndim < 2:
            small[name] = tensor
            continue
        group = tensor.shape[1] if "embedding" in name else GROUP
        small[name], small[f"{name}{SCALE}"] = in_eight_bits(tensor, group)
    return small


def stored_about(file: Path) -> dict:
    """The JSON beside a file."""
    about = file.with_suffix(".json")
    return json.loads(about.read_text(encoding="utf-8")) if about.exists() else {}


def keep(file: Path, tensors: "dict[str, Tensor]", **about) -> None:
    """Write a file and, when that is done, its JSON."""
    from safetensors.torch import save_file

    file.parent.mkdir(parents=True, exist_ok=True)
    file.with_suffix(".json").unlink(missing_ok=True)
    save_file({name: tensor.contiguous() for name, tensor in tensors.items()}, file)
    file.with_suffix(".json").write_text(json.dumps(about), encoding="utf-8")


def shelve(app: Sphinx) -> None:
    """Write the passages' vectors, with the section of each, where a page asks for the model."""
    if not stored_about(folder(app) / f"{NAME}.safetensors"):
        return
    library = minilm.passages(app.srcdir, **SEARCHED)
    pages = sorted({passage.chapter for passage in library} & set(app.env.found_docs))
    places: dict[tuple[str, str], str] = {}
    for page in pages:
        for _, anchor, _, heading, _ in sections(app.env.get_doctree(page), page):
            places.setdefault((page, plain(heading)), f"{page}.html{anchor and f'#{anchor}'}")
    texts = []
    headings: list[list[str]] = []  # sections: where they are, and what they are called
    of = []  # of each passage: its section
    for passage in library:
        if not (place := places.get((passage.chapter, plain(passage.heading)))):
            log.warning("no section %r in %s to search", passage.heading, passage.chapter)
            continue
        whole = passage.title == passage.heading
        section = [place, passage.title if whole else f"{passage.title}: {passage.heading}"]
        if section not in headings:
            headings.append(section)
        of.append(headings.index(section))
        texts.append(f"{passage.heading}. {passage.text}")

    file = folder(app) / f"{LIBRARY}.safetensors"
    about = {"sizes": {}, "sections": headings, "of": of, "format": FORMAT}
    about["texts"] = [digest(text) for text in texts]
    if stored_about(file) == about:
        return
    rows = vectors(texts, folder(app) / "vectors.safetensors")
    if rows is not None:
        keep(file, rounded({"vectors": rows}), **about)


def plain(heading: str) -> str:
    """A heading's letters and digits."""
    return re.sub(r"\W", "", heading).casefold()


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def vectors(texts: list[str], cache: Path) -> "Tensor | None":
    """The model's vector (S, E) of each text; those that are in the cache are taken from there.

    None where one is missing and the model's files are gone.
    """
    import torch
    from safetensors.torch import load_file, save_file

    from solutions.real_encoder import SentenceEncoder, convert_weights, embed

    cached = load_file(cache) if cache.exists() else {}
    wanted = {digest(text): text for text in texts}
    new = sorted((key for key in wanted if key not in cached), key=lambda key: len(wanted[key]))
    if new:
        weights, tokenizer = minilm.load()
        if weights is None:
            return None
        model = SentenceEncoder().eval()
        model.load_state_dict(convert_weights(weights))
        for start in range(0, len(new), AT_ONCE):
            keys = new[start : start + AT_ONCE]
            rows = embed([wanted[key] for key in keys], model, tokenizer)
            cached |= {key: row.clone() for key, row in zip(keys, rows, strict=True)}
        whole = cache.with_suffix(".new")  # a build that is broken off leaves the old one
        save_file({key: cached[key] for key in wanted}, whole)
        whole.replace(cache)
    return torch.stack([cached[digest(text)] for text in texts])


def files(app: Sphinx) -> list[Path]:
    """The files that the page loads, if it can load the model at all."""
    shelve(app)
    paths = [folder(app) / f"{name}.safetensors" for name in (NAME, LIBRARY)]
    return [file for file in paths if file.exists() and stored_about(file)]
