"""Is the attention machine's row the model's own, and does it light what it is asked to?"""

import re

import pytest
import torch
from lab import machine, minilm, plots
from lab.machine import HEAD, LAYER, PARTS, TOKENS, WIDTH
from matplotlib import pyplot as plt

from solutions.real_encoder import SentenceEncoder, convert_weights

needs_files = pytest.mark.skipif(
    minilm.find("model.safetensors") is None, reason="the model's files are not here"
)


@pytest.fixture
def drawn(monkeypatch):
    """Draws the machine and returns it as SVG, with its description."""
    plots.use_style()
    shown = []

    def show(figure, alt, name, caption):
        shown.append((plots.as_svg(figure), alt))
        plt.close(figure)

    monkeypatch.setattr(plots, "show", show)

    def draw(*lit, **options):
        machine.machine(*lit, **options)
        return shown[-1]

    return draw


def test_its_row_follows_from_its_own_scores():
    scaled = torch.tensor(machine.SCORES) / WIDTH**0.5
    weights = torch.softmax(scaled, dim=0)
    assert torch.allclose(weights, torch.tensor(machine.WEIGHTS), atol=1e-3)
    output = weights @ torch.tensor(machine.VALUES)
    assert torch.allclose(output, torch.tensor(machine.OUTPUT), atol=1e-2)


@needs_files
def test_its_row_is_the_published_models():
    weights, tokenizer = minilm.load()
    model = SentenceEncoder().eval()
    model.load_state_dict(convert_weights(weights))
    encoding = tokenizer.encode(machine.SENTENCE)
    assert encoding.tokens == TOKENS
    tokens = torch.tensor([encoding.ids])
    with torch.no_grad():
        hidden, attended = model.all_layers(tokens, torch.ones_like(tokens, dtype=torch.bool))
        attention = model.encoder.layers[LAYER].self_attn
        columns = slice(HEAD * WIDTH, (HEAD + 1) * WIDTH)
        query, key, value = (
            project(hidden[LAYER][0])[:, columns]
            for project in (attention.W_q, attention.W_k, attention.W_v)
        )
    row = attended[LAYER][0, HEAD, machine.ASKING]
    scores = query[machine.ASKING] @ key.T
    for stored, found in [
        (machine.WEIGHTS, row),
        (machine.QUERY, query[machine.ASKING, :2]),
        (machine.KEYS, key[:, :2]),
        (machine.VALUES, value[:, :2]),
        (machine.SCORES, scores),
        (machine.OUTPUT, (row @ value)[:2]),
    ]:
        assert torch.allclose(torch.tensor(stored), found, atol=6e-3)


def test_each_part_can_be_lit(drawn):
    plain, description = drawn()
    assert plain and "Lit:" not in description
    for part in PARTS:
        lit, description = drawn(part)
        assert lit and lit != plain, part
        assert re.search(r"Lit: .+\.$", description), part


def test_keeps_the_row_its_own_words_and_says_what_stands_in_their_place(drawn):
    svg, description = drawn("asked", labels={"asked": "are asked: nine patches"})
    assert description.endswith("Lit: are asked: all eleven tokens (here: nine patches).")
    assert svg != drawn("asked")[0]


def test_refuses_an_unknown_part(drawn):
    with pytest.raises(ValueError, match="machine: there is no part 'keyz'; there are asking"):
        drawn("keyz")
