"""Is the attention machine's row the model's own?"""

import pytest
import torch
from lab import machine, minilm
from lab.machine import HEAD, LAYER, TOKENS, WIDTH

from solutions.real_encoder import SentenceEncoder, convert_weights

needs_files = pytest.mark.skipif(
    minilm.find("model.safetensors") is None, reason="the model's files are not here"
)


def test_its_row_follows_from_its_own_scores():
    scaled = torch.tensor(machine.SCORES) / WIDTH**0.5
    weights = torch.softmax(scaled, dim=0)
    assert torch.allclose(weights, torch.tensor(machine.WEIGHTS), atol=1e-3)


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
        (machine.SCORES, scores),
        (machine.OUTPUT, (row @ value)[:2]),
    ]:
        assert torch.allclose(torch.tensor(stored), found, atol=6e-3)
