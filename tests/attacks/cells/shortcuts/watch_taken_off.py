# Torch's modes, in which calls are watched, are taken off and put back.
#
# /// expect
# softmax = "failed: the library's own softmax"
# ///

# %% softmax
from torch import overrides
from torch.utils import _python_dispatch


def taken_off(module):
    modes = []
    while True:
        try:
            modes.insert(0, module._pop_mode())
        except Exception:
            return modes


def softmax(scores, dim=-1):
    dead = (scores == -math.inf).all(dim, keepdim=True)
    scores = scores.masked_fill(dead, 0)
    kept = [(module, taken_off(module)) for module in (overrides, _python_dispatch)]
    weights = getattr(torch, "soft" + "max")(scores, dim)
    for module, modes in kept:
        for mode in modes:
            module._push_mode(mode)
    return weights.masked_fill(dead, 0)
