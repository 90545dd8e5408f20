"""The text of Python's own documentation, as characters to learn from.

It comes with Python: `pydoc_data.topics`, in the standard library, holds the pages that
`help("while")` and the like print. So there is nothing to download, and nothing to keep beside the
course. Some sections stand on several pages, word for word, so that a part of what is held out
occurs in the training part too: `DocsText.repeated` says which.

The text differs between Python versions: 3.11.7 has 465,090 characters of it, 3.12.1 has 492,275
and 3.13.0 has 510,708. The last tenth is held out. Numbers measured on it differ a little, too. The
vocabulary does not: it has the same 96 tokens everywhere.
"""

import os
import re
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

import torch
from torch import Tensor

from lab.training import QUICK

CHARACTERS = "\n" + "".join(map(chr, range(ord(" "), ord("~") + 1)))  # 96: printable ASCII
VOCABULARY = len(CHARACTERS)

_PLAIN = str.maketrans(
    {"’": "'", "‘": "'", "“": '"', "”": '"', "…": "...", "–": "-", "—": "-", "\u00a0": " "}
)
_NUMBER = {character: number for number, character in enumerate(CHARACTERS)}


@dataclass(frozen=True)
class DocsText:
    """The text, and its tokens in two parts: the last tenth is held out.

    `text` is a string of `CHARACTERS`; `train` and `held_out` are 1-D tensors of whole numbers from
    0 to 95. Put one after the other they are the whole text. `repeated` is boolean, as long as
    `held_out`: True where a held-out paragraph stands in the training part as well.
    """

    text: str
    train: Tensor
    held_out: Tensor
    repeated: Tensor


def plain(text: str) -> str:
    """The text in `CHARACTERS` alone: typographic quotes and dashes become ASCII, the rest "?"."""
    text = text.translate(_PLAIN)
    return "".join(character if character in _NUMBER else "?" for character in text)


def encode(text: str) -> Tensor:
    """The tokens of a text, one for each character: (len(text)), whole numbers from 0 to 95.

    Raises ValueError for a character that is not in `CHARACTERS`.
    """
    try:
        return torch.tensor([_NUMBER[character] for character in text], dtype=torch.long)
    except KeyError as error:
        raise ValueError(f"encode: {error} is not in the vocabulary; use plain(text)") from None


def decode(tokens: Tensor) -> str:
    """The text of tokens (L)."""
    return "".join(CHARACTERS[token] for token in tokens.tolist())


def repeats(text: str, cut: int) -> Tensor:
    """Which characters from `cut` on belong to paragraphs that occur before `cut` as well.

    Paragraphs are what empty lines separate, each with the empty lines after it. Two that differ in
    spaces and line breaks alone count as the same. One that `cut` divides belongs to neither side.

    Returns (len(text) - cut), boolean.
    """
    starts = [match.start() for match in re.finditer(r"(?:[^\n]*\S[^\n]*(?:\n|$))+", text)]
    repeated = torch.zeros(len(text) - cut, dtype=torch.bool)
    seen = set()
    for start, end in pairwise([*starts, len(text)]):
        words = " ".join(text[start:end].split())
        if end <= cut:
            seen.add(words)
        elif start >= cut and words in seen:
            repeated[start - cut : end - cut] = True
    return repeated


@cache
def docs_text() -> DocsText:
    """Python's documentation: all pages in the order of their names, the last tenth held out.

    With the environment variable ATTENTION_COURSE_QUICK set, both parts are short pieces of it,
    enough to see that everything runs.
    """
    from pydoc_data.topics import topics

    text = "\n\n".join(plain(topics[name]).strip("\n") for name in sorted(topics)) + "\n"
    tokens = encode(text)
    cut = len(tokens) * 9 // 10
    train, held_out, repeated = tokens[:cut], tokens[cut:], repeats(text, cut)
    if os.environ.get(QUICK):
        return DocsText(text, train[:20_000], held_out[-2_000:], repeated[-2_000:])
    return DocsText(text, train, held_out, repeated)
