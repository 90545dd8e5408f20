"""Small models of attention alone that learn to copy: chapter 10's experiment on induction heads.

Each row draws pairs of random tokens and visits them in random order. When a pair's first token
comes again, the second can be known from what followed the last time, and from nothing else: pairs
are drawn with equal chances each time, so neither distance nor recency says which comes next.
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
PAIRS = 12  # in each row, of tokens that are all different
ROUND = (16, 32)  # a round of `repeating` has from 16 to 32 tokens, all different
EVERY = 20  # steps from one look at the model to the next
WARM = 50  # steps until the learning rate is full; it stays, so that no step comes from it


def paired(number: int, random: torch.Generator) -> tuple[Tensor, Tensor]:
    """Rows of random pairs in random order, and where a token can be known from its own row.

    Returns two of (number, LENGTH): whole numbers below VOCABULARY, and True at the second token of
    each pair that has stood in the row already.
    """
    shuffled = torch.rand(number, VOCABULARY, generator=random).argsort(dim=1)
    pairs = shuffled[:, : 2 * PAIRS].unflatten(1, (PAIRS, 2))  # (number, PAIRS, 2)
    visits = torch.randint(PAIRS, (number, LENGTH // 2), generator=random)
    tokens = pairs.gather(1, visits[:, :, None].expand(-1, -1, 2)).flatten(1)
    again = (visits[:, :, None] == visits[:, None, :]).tril(-1).any(dim=-1)
    known = torch.stack([torch.zeros_like(again), again], dim=-1).flatten(1)
    return tokens, known


def guess(tokens: Tensor, known: Tensor) -> float:
    """How often one is right who guesses among the second tokens that the row has shown so far."""
    return (
        torch.cat(
            [
                1 / torch.tensor([float(len(set(row[1:place:2]))) for place in marks.nonzero()])
                for row, marks in zip(tokens.tolist(), known, strict=True)
            ]
        )
        .mean()
        .item()
    )


def repeating(number: int, random: torch.Generator) -> tuple[Tensor, Tensor]:
    """Rows of random tokens that repeat from the start: an easier task, which distance solves.

    Returns two of (number, LENGTH): whole numbers below VOCABULARY, and True where the token before
    this one has stood in the row already. Each next token is the one not seen for longest.
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


class ByDistance(nn.Module):
    """One layer of two heads that see how far away a token is, and nothing else of it.

    The first adds the tokens from 15 to 31 back, the more the farther; the second takes away those
    from 0 to 14 back. The largest logit is that of the token not seen for longest.
    """

    STRENGTHS = (50.0, -200.0)

    def forward(self, tokens: Tensor) -> Tensor:
        away = torch.arange(LENGTH)  # (S)
        far = torch.where((away > 14) & (away < 32), 0.25 * (31 - away), 8.0)
        near = torch.where(away < 15, 0.0, 8.0)
        places = torch.arange(tokens.shape[1])
        distance = places[:, None] - places  # (L, L)
        later = torch.where(distance < 0, torch.inf, 0.0)
        weights = [(-head[distance.clamp(min=0)] - later).softmax(dim=-1) for head in (far, near)]
        seen = F.one_hot(tokens, VOCABULARY).float()  # (B, L, VOCABULARY)
        return sum(
            strength * (head @ seen) for strength, head in zip(self.STRENGTHS, weights, strict=True)
        )


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
def forbidden(layer: nn.Module, cells: Tensor) -> Iterator[None]:
    """No head of an attention layer may attend to some cells, (L, L) or (B, 1, L, L), for a while.

    The layer is called with (query, key, value, mask), and `cells` is True where a look is
    forbidden; what is left in a row is shared anew.
    """

    def narrowed(_: nn.Module, inputs: tuple[Tensor, Tensor, Tensor, Tensor]) -> tuple[Tensor, ...]:
        *projected, mask = inputs
        return *projected, mask & ~cells

    hook = layer.register_forward_pre_hook(narrowed)
    try:
        yield
    finally:
        hook.remove()


def back(places: int) -> Tensor:
    """The cells (LENGTH, LENGTH) in which a query looks so many places back."""
    return torch.ones(LENGTH, LENGTH, dtype=torch.bool).tril(-places).triu(-places)


def after_same(tokens: Tensor, places: int) -> Tensor:
    """The cells (B, 1, L, L) so many places after an earlier token like the query's own."""
    same = (tokens[:, :, None] == tokens[:, None, :]).tril(-1)  # (B, L, L)
    moved = F.pad(same, (places, 0))[..., : same.shape[-1]]
    return moved.tril(-1)[:, None]  # each query keeps itself, so that no row is empty


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
    """Train a model on the tokens of `paired` that can be known, and look at it every EVERY steps.

    `score(weights, tokens)` is `induction_score`. The rows that it is measured on are drawn with a
    seed of their own and trained on by no step.
    """
    tokens, known = paired(64, torch.Generator().manual_seed(1000 + seed))
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
        rows, marks = paired(batch, random)
        asked = marks[:, 1:]  # (B, L - 1)
        return F.cross_entropy(model(rows)[:, :-1][asked], rows[:, 1:][asked])

    def rate(step: int) -> float:
        return learning_rate * min(1.0, step / WARM)

    learned.trained = train(model, loss_of, steps, schedule=rate, seed=seed, label=label)
    look()
    return learned
