"""Compute the numbers of `lab.milk` from the published model: `.venv/bin/python make/milk.py`."""

import json

import torch
from lab import minilm
from lab.milk import HEAD, LAYER, SENTENCE, STORED, WIDTH
from torch import Tensor

from solutions.real_encoder import SentenceEncoder, convert_weights


def computed() -> dict[str, list] | None:
    """The same numbers from the published model; None where its files are not."""
    weights, tokenizer = minilm.load()
    if weights is None or tokenizer is None:
        return None
    model = SentenceEncoder().eval()
    model.load_state_dict(convert_weights(weights))
    encoding = tokenizer.encode(SENTENCE)
    tokens = torch.tensor([encoding.ids])
    with torch.no_grad():
        hidden, _ = model.all_layers(tokens, torch.ones_like(tokens, dtype=torch.bool))
        attention = model.encoder.layers[LAYER].self_attn
        columns = slice(HEAD * WIDTH, (HEAD + 1) * WIDTH)
        query, key, value = (
            project(hidden[LAYER][0])[:, columns]
            for project in (attention.W_q, attention.W_k, attention.W_v)
        )
    directions = torch.linalg.svd(value).Vh[:2]
    places = value @ directions.T
    # A direction may come out of the decomposition with either sign.
    places = places * places.gather(0, places.abs().argmax(dim=0, keepdim=True)).sign()
    return {
        "items": encoding.tokens,
        "scores": rounded(query @ key.T / WIDTH**0.5),
        "values": rounded(places),
    }


def rounded(matrix: Tensor) -> list[list[float]]:
    return [[round(number, 2) for number in row] for row in matrix.tolist()]


def main() -> None:
    entries = computed()
    if entries is not None:
        lines = (f"{json.dumps(key)}: {rows_of(rows)}" for key, rows in entries.items())
        STORED.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def rows_of(rows: list) -> str:
    """A list as JSON, a matrix with a line for each row."""
    if not isinstance(rows[0], list):
        return json.dumps(rows)
    return "[\n" + ",\n".join(json.dumps(row) for row in rows) + "\n]"


if __name__ == "__main__":
    main()
