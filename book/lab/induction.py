"""Small models of attention alone that learn to copy: chapter 10's experiment on induction heads.

Sequences of random tokens repeat: after the first time around, each next token can be known from
what followed the last time, and from nothing else. How long one round is differs from row to row,
so that no fixed distance gives the answer.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from lab.training import Trained, train

VOCABULARY = 64
LENGTH = 64
ROUND = (16, 32)  # a round has from 16 to 32 tokens, all different
EVERY = 20  # steps from one look at the model to the next
WARM = 50  # steps until the learning rate is full; it stays, so that no step comes from it


def repeating(number: int, random: torch.Generator) -> tuple[Tensor, Tensor]:
    """Rows of random tokens that repeat, and where each can be known from its own row.

    Returns two of (number, LENGTH): whole numbers below VOCABULARY, and True where the token before
    this one has stood in the row already.
    """
    rounds = torch.randint(ROUND[0], ROUND[1] + 1, (number, 1), generator=random)
    shuffled = torch.rand(number, VOCABULARY, generator=random).argsort(dim=1)
    places = torch.arange(LENGTH)  # (L)
    return shuffled.gather(1, places % rounds), places > rounds


class AttentionOnly(nn.Module):
    """Tokens in, logits out, and between them attention layers that add to one stream.

    `AttentionOnly(layers, embed_dim)`: each of the `layers` is called with (query, key, value,
    mask), as chapter 7's is, and has its `num_heads` and its `W_o`. No feed-forward and no norm.

    `forward(tokens)` takes (B, L) and returns logits (B, L, VOCABULARY); `all_weights(tokens)`
    returns the layers' weights, (B, H, L, L) each.
    Source: Elhage et al. 2021, A Mathematical Framework for Transformer Circuits.
    """

    def __init__(self, layers: Sequence[nn.Module], embed_dim: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(VOCABULARY, embed_dim)
        self.layers = nn.ModuleList(layers)
        self.output = nn.Linear(embed_dim, VOCABULARY)

    def forward(self, tokens: Tensor) -> Tensor:
        return self._passed(tokens)[0]

    def all_weights(self, tokens: Tensor) -> list[Tensor]:
        return self._passed(tokens)[1]

    def _passed(self, tokens: Tensor) -> tuple[Tensor, list[Tensor]]:
        L = tokens.shape[1]
        mask = torch.ones(L, L, dtype=torch.bool).tril()
        x, seen = self.embedding(tokens), []  # (B, L, E)
        for layer in self.layers:
            output, weights = layer(x, x, x, mask)
            x = x + output
            seen.append(weights)
        return self.output(x), seen


def previous_score(weights: Tensor) -> Tensor:
    """How much each head looks one position back: (B, H, L, L) to (H), the mean over queries."""
    return weights.diagonal(-1, dim1=-2, dim2=-1).mean(dim=(0, 2))


def copying(model: nn.Module, tokens: Tensor, known: Tensor) -> tuple[float, float]:
    """Bits for a token that can be known, and the share of them that are right at first guess."""
    with torch.no_grad():
        logits, targets = model(tokens)[:, :-1][known[:, 1:]], tokens[:, 1:][known[:, 1:]]
    bits = F.cross_entropy(logits, targets) / torch.log(torch.tensor(2.0))
    return bits.item(), (logits.argmax(dim=-1) == targets).float().mean().item()


@contextmanager
def switched_off(layer: nn.Module, *heads: int) -> Iterator[None]:
    """Some heads of an attention layer give zeros for a while, in place of their averages."""

    def without(_: nn.Module, inputs: tuple[Tensor]) -> Tensor:
        (merged,) = inputs  # (B, L, E), head after head
        by_head = merged.unflatten(-1, (layer.num_heads, -1)).clone()
        by_head[..., list(heads), :] = 0.0
        return by_head.flatten(-2)

    hook = layer.W_o.register_forward_pre_hook(without)
    try:
        yield
    finally:
        hook.remove()


@dataclass
class Learned:
    """How a model learned to copy: what was measured, every EVERY steps, on rows held out."""

    steps: list[int] = field(default_factory=list)
    bits: list[float] = field(default_factory=list)  # for a token that can be known
    right: list[float] = field(default_factory=list)  # share of them, at first guess
    induction: list[Tensor] = field(default_factory=list)  # (layers, H) each
    previous: list[Tensor] = field(default_factory=list)  # (layers, H) each
    trained: Trained = field(default_factory=Trained)

    def half_way(self, values: Sequence[float]) -> int:
        """The first step at which a curve is half of its way from first to last."""
        half = (values[0] + values[-1]) / 2
        falls = values[-1] < values[0]
        past = [(v <= half) if falls else (v >= half) for v in values]
        return self.steps[past.index(True)]


def learn_to_copy(
    model: nn.Module,
    score: Callable[[Tensor, Tensor], Tensor],
    steps: int,
    *,
    seed: int = 0,
    batch: int = 32,
    learning_rate: float = 3e-3,
    label: str = "Copying",
) -> Learned:
    """Train a model on rows that repeat, and look at it every EVERY steps.

    `score(weights, tokens)` is `induction_score`. The rows that it is measured on are drawn with a
    seed of their own and trained on by no step.
    """
    tokens, known = repeating(64, torch.Generator().manual_seed(1000 + seed))
    learned, step = Learned(), 0

    def look() -> None:
        bits, right = copying(model, tokens, known)
        with torch.no_grad():
            maps = model.all_weights(tokens)
        learned.steps.append(step)
        learned.bits.append(bits)
        learned.right.append(right)
        learned.induction.append(torch.stack([score(weights, tokens) for weights in maps]))
        learned.previous.append(torch.stack([previous_score(weights) for weights in maps]))

    def loss_of(random: torch.Generator) -> Tensor:
        nonlocal step
        if step % EVERY == 0:
            look()
        step += 1
        rows, _ = repeating(batch, random)
        logits = model(rows)[:, :-1]  # (B, L - 1, V)
        return F.cross_entropy(logits.flatten(0, 1), rows[:, 1:].flatten())

    def rate(step: int) -> float:
        return learning_rate * min(1.0, step / WARM)

    learned.trained = train(model, loss_of, steps, schedule=rate, seed=seed, label=label)
    look()
    return learned
