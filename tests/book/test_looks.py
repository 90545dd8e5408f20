"""A chapter's first figure before anything is trained: the stored look, and its still."""

import base64
import re

import nbformat
import pytest
import torch
from bs4 import BeautifulSoup
from lab import dates, stored
from lab.digits import digits_split
from lab.docs_text import CHARACTERS, encode
from lab.live import writing_figure
from lab.still import still

from solutions.encoder_decoder import Transformer
from solutions.positions import sinusoidal_positions
from solutions.vit import VisionTransformer, attention_rollout
from tests.book.chapter_counts import BOOK
from tests.book.test_stored_models import writer


def close(found, wanted):
    """To what two digits leave of a number, and float16 of a model."""
    torch.testing.assert_close(torch.tensor(found), wanted, atol=0.02, rtol=0)


def test_of_the_writer_is_what_the_stored_writer_does():
    model, look = writer()[0], stored.look("writer")
    tokens = encode("".join(look["columns"]))[None]
    with torch.no_grad():
        chances = model(tokens)[0, -1].softmax(dim=-1)  # (V)
        close(look["weights"], model.all_weights(tokens)[2][0, 2])
    close(list(look["likely"].values()), chances.topk(6).values)
    assert "".join(look["scores"]) == CHARACTERS
    close(torch.tensor(list(look["scores"].values())).softmax(dim=-1).tolist(), chances)
    for sign, chance in look["likely"].items():
        assert chances[CHARACTERS.index(sign)].item() == pytest.approx(chance, abs=0.02)


def test_of_the_translator_is_what_the_stored_translator_looks_at():
    numbers, about = stored.stored("dates")
    model = Transformer(**about["sizes"])
    model.load_state_dict(numbers)
    look = stored.look("dates")
    source, target = (
        torch.tensor([vocabulary.encode("".join(signs))])
        for vocabulary, signs in (
            (dates.source_vocabulary(), look["columns"]),
            (dates.target_vocabulary(), look["rows"][:-1]),
        )
    )
    given = torch.cat([torch.tensor([[dates.BOS]]), target], dim=1)  # (1, L)

    def placed(embedding, tokens):
        x = embedding(tokens)
        return x * x.shape[2] ** 0.5 + sinusoidal_positions(*x.shape[1:])

    with torch.no_grad():
        memory, _ = model.encoder(placed(model.source_embedding, source))
        x = placed(model.target_embedding, given)
        for block in model.decoder:
            x, weights = block(x, memory)
    close(look["weights"], weights[0].mean(dim=0))
    assert model.output(x).argmax(dim=-1).tolist() == [[*target[0].tolist(), dates.EOS]]


def test_of_the_digit_is_what_the_stored_model_reads_and_where():
    numbers, about = stored.stored("digits")
    model = VisionTransformer(**about["sizes"])
    model.load_state_dict(numbers)
    look, (_, held_out) = stored.look("digits"), digits_split()
    image = held_out.images[held_out.labels == 3][:1]  # the first three
    close(look["picture"], image[0, 0])
    with torch.no_grad():
        close(list(look["likely"].values()), model(image)[0].softmax(dim=-1))
        rollout = attention_rollout(model.encoder(model.patch_embedding(image))[1])[0, 0, 1:]
    close(look["weights"], (rollout / rollout.max()).reshape(4, 4))


@pytest.mark.parametrize("name", ["writer", "dates", "digits"])
def test_a_still_is_a_small_picture_with_its_description(name):
    page = still(name)
    assert f'alt="A still: {stored.look(name)["title"]}' in page
    (png,) = re.findall('data:image/png;base64,([^"]+)', page)
    assert base64.b64decode(png).startswith(b"\x89PNG")
    assert len(page) < 40_000


def test_the_still_goes_when_the_figure_begins():
    """The page puts the figure in the place of its first paragraph (`_static/live.js`)."""
    text = "".join(stored.look("writer")["rows"])
    page = writing_figure("writer", text, "A figure.", "one", look="writer")._repr_html_()
    (figure,) = BeautifulSoup(page, "html.parser").find_all("figure")
    assert figure.p.img
    figure.p.decompose()
    assert [part.name for part in figure.children] == ["figcaption"]


@pytest.mark.parametrize(
    ("chapter", "name"),
    [
        ("08-masked", "leak"),
        ("13-real-encoder", "three-heads"),
        ("14-real-writer", "induction-head"),
    ],
)
def test_a_chapter_shows_the_look_that_it_keeps(chapter, name):
    """A run that keeps another look has drawn the one before: it takes a second run."""
    first = nbformat.read(BOOK / f"{chapter}.ipynb", as_version=4).cells[1]
    (output,) = first.outputs
    shown, look = output.metadata["image/png"]["stage"], stored.look(name)
    assert shown["items"] == look["items"]
    wanted = look.get("heads") or {"": look["scores"], "leak": look.get("leaking")}
    assert [head["scores"] for head in shown["heads"]] == [rows for rows in wanted.values() if rows]
