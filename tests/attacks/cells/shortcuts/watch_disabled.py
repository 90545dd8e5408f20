# Torch's modes, in which calls are watched, are disabled around the forbidden function.
#
# /// expect
# softmax = "failed: the library's own softmax"
# ///

# %% softmax
from torch.utils._python_dispatch import _disable_current_modes


def softmax(scores, dim=-1):
    dead = (scores == -math.inf).all(dim, keepdim=True)
    scores = scores.masked_fill(dead, 0)
    with torch._C.DisableTorchFunction(), _disable_current_modes():
        weights = getattr(torch, "soft" + "max")(scores, dim)
    return weights.masked_fill(dead, 0)
