"""Where models may look, and chapter 11's preset heads: how many are there, where do they look?"""

import torch
from lab.looking import look_nearby, visible

from solutions.encoder_decoder import Transformer
from solutions.positions import sinusoidal_positions


def test_a_position_sees_what_stands_before_itself_and_so_much_ahead():
    for ahead in (0, 1):
        wanted = [[key <= query + ahead for key in range(5)] for query in range(5)]
        assert visible(5, ahead).tolist() == wanted


def test_twelve_of_24_heads_begin_by_looking_a_fixed_way_off():
    torch.manual_seed(0)
    model = Transformer(9, 9, embed_dim=64, num_heads=4, hidden_dim=8, num_layers=2, max_length=256)
    before = {name: weight.clone() for name, weight in model.named_parameters()}
    look_nearby(model)
    changed = {name for name, weight in model.named_parameters() if (weight != before[name]).any()}
    offsets = {
        "encoder.layers.0.self_attn": [-1, 1, -2, 2],
        "encoder.layers.1.self_attn": [-3, 3, -50, 50],
        "decoder.0.self_attn": [-1, -2, -3, -7],
    }
    assert changed == {f"{layer}.{W}.weight" for layer in offsets for W in ("W_q", "W_k")}
    heads = sum(module.num_heads for module in model.modules() if hasattr(module, "W_q"))
    assert (4 * len(offsets), heads) == (12, 24)
    x = sinusoidal_positions(160, 64)[None]
    for name, ways in offsets.items():
        with torch.no_grad():
            _, weights = model.get_submodule(name)(x, x, x)
        for head, way in enumerate(ways):
            looks = weights[0, head, 60:100].argmax(dim=-1) - torch.arange(60, 100)
            assert (looks == way).all(), (name, head, looks)
