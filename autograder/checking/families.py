"""Which of torch's functions are one and the same for an exercise that forbids it.

A library has many doors to one function: `torch.softmax`, `Tensor.softmax`, `nn.Softmax`, the
operation `_softmax` underneath, functions that contain it. What was seen to run is matched by
family, whatever the door.
"""

import re
from collections.abc import Iterable

ATTENTION = (
    "scaleddotproduct|flashattention|efficientattention|cudnnattention|flexattention|fusedsdp"
    "|multiheadattention|transformerencoderlayerfwd"
)
# By the name that an exercise forbids, written flat: what else belongs to it.
FAMILIES = {
    "softmax": f"softmax|softmin|crossentropy|{ATTENTION}",
    "scaleddotproductattention": ATTENTION,
    "grad": "^grad$|^backward$|runbackward|^hessian|^jacobian|^jacrev|^jacfwd|^vjp|^jvp|^vhp|^hvp",
    "backward": "backward",
    "makedual": "makedual|unpackdual",
    "crossentropy": "crossentropy",
}


def flat(name: str) -> str:
    """`_native_layer_norm` and `LayerNorm` with nothing but their letters."""
    return name.replace("_", "").lower()


def used_of(forbidden: Iterable[str], seen: Iterable[str]) -> list[str]:
    """The forbidden names of whose families some function was seen."""
    names = {flat(name) for name in seen}
    names_used: dict[str, str] = {}
    for name in forbidden:
        family = re.compile(FAMILIES.get(flat(name), re.escape(flat(name))))
        if any(map(family.search, names)):
            names_used.setdefault(flat(name), name)
    return sorted(names_used.values())
