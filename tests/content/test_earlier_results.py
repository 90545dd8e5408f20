"""Is a result that is kept in one place, and written anew by the next call, found and named?"""

import importlib
import inspect
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from autograder.checking import exercises
from autograder.checking.verdict import Verdict
from autograder.diagnosis.judge import PUBLIC_SEED, judge
from autograder.diagnosis.recording import live
from autograder.remote.calling import Home, mapped, tensors
from autograder.remote.requests import CallRequest, Reply, Request
from autograder.remote.subject import Call
from tests.content.published import by_module


class Noting(Home):
    """Notes which calls it is asked for, and what it answers."""

    def __init__(self, namespace: dict[str, Any]) -> None:
        super().__init__(namespace)
        self.calls: list[Call] = []

    def answer(self, request: Request) -> Reply:
        reply = super().answer(request)
        if isinstance(request, CallRequest):
            self.calls.append(Call(request, reply))
        return reply


def verdict_of(name: str, home: Home) -> Verdict:
    torch.default_generator.manual_seed(PUBLIC_SEED)
    return judge(name, home, live(exercises()[name]), PUBLIC_SEED)


def kept_in_one_place(thing: Any) -> Any:
    """The same function or class, which returns the same tensors every time."""
    places: dict[Any, Tensor] = {}

    def returned(result: Any) -> Any:
        number = iter(range(1000))

        def put(tensor: Tensor) -> Tensor:
            key = next(number), tensor.shape, tensor.dtype
            place = places.setdefault(key, torch.empty_like(tensor)).detach()
            places[key] = place
            return place.copy_(tensor)

        return mapped(put, result)

    if not inspect.isclass(thing):
        return lambda *args, **kwargs: returned(thing(*args, **kwargs))

    class Keeping(thing):
        def forward(self, *args, **kwargs):
            return returned(super().forward(*args, **kwargs))

    return Keeping


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", by_module())
def test_earlier_results_are_looked_at_where_the_contract_promises_them(name):
    exercise = exercises()[name]
    reference = getattr(importlib.import_module(f"solutions.{exercise.module}"), name)
    home = Noting({name: reference})
    assert verdict_of(name, home).passed
    asked = [call for call in home.calls if call.request.then is not None]
    contract = " ".join(inspect.getdoc(reference).split())
    promised = "earlier results" in contract or "returned before" in contract
    assert promised or not asked
    if any(call.request.method is None and list(tensors(call.reply.value)) for call in asked):
        verdict = verdict_of(name, Home({name: kept_in_one_place(reference)}))
        assert verdict.misconception.startswith(f"{name} writes into what it returned before")
        assert verdict.points == 0


SOFTMAX = torch.empty(0)


def softmax(scores, dim=-1):
    global SOFTMAX
    shifted = scores - scores.amax(dim=dim, keepdim=True).clamp(min=-1e30)
    powers = shifted.exp()
    weights = powers / powers.sum(dim=dim, keepdim=True).clamp(min=1e-30)
    if SOFTMAX.shape != weights.shape or SOFTMAX.dtype != weights.dtype:
        SOFTMAX = torch.empty_like(weights)
    SOFTMAX = SOFTMAX.detach()
    SOFTMAX[...] = weights
    return SOFTMAX


class LayerNorm(nn.Module):
    def __init__(self, embed_dim, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(embed_dim))
        self.bias = nn.Parameter(torch.zeros(embed_dim))
        self.eps = eps
        self.normed = None

    def forward(self, x):
        variance = x.var(dim=-1, keepdim=True, correction=0)
        if self.normed is None or self.normed.shape != x.shape or self.normed.dtype != x.dtype:
            self.normed = torch.zeros_like(x)
        self.normed = self.normed.detach()
        self.normed[:] = (x - x.mean(dim=-1, keepdim=True)) / torch.sqrt(variance + self.eps)
        self.normed *= self.weight
        self.normed += self.bias
        return self.normed


def padding_mask(lengths, max_length, kept={}):  # noqa: B006 (the misconception)
    positions = torch.arange(max_length, device=lengths.device)
    mask = kept.setdefault((len(lengths), max_length), torch.zeros(len(lengths), max_length) > 0)
    torch.lt(positions, lengths[:, None], out=mask)
    return mask


class KeyValueCache:
    """Room for sixteen positions at the end of which the newest stands: all of them move."""

    def __init__(self):
        self.room = None
        self.length = 0

    def __len__(self):
        return self.length

    def append(self, key, value):
        new = key.shape[-2]
        self.length += new
        parts = []
        room = self.room or [
            one.new_zeros(*one.shape[:-2], 40, one.shape[-1]) for one in (key, value)
        ]
        self.room = [one.detach() for one in room]
        for place, one in zip(self.room, (key, value), strict=True):
            place[...] = place.roll(-new, dims=-2)
            place[..., 40 - new :, :] = one
            parts.append(place[..., 40 - self.length :, :])
        return tuple(parts)


def scaled_dot_product_scores(query, key, kept={}):  # noqa: B006 (the misconception)
    scores = query @ key.mT / query.shape[-1] ** 0.5
    kept[scores.shape] = kept.get(scores.shape, torch.empty(0, dtype=scores.dtype)).detach()
    return kept[scores.shape].resize_(scores.shape).to(scores.dtype).copy_(scores)


@pytest.mark.parametrize(
    "thing", [softmax, LayerNorm, padding_mask, KeyValueCache, scaled_dot_product_scores]
)
def test_a_beginner_who_saves_memory_is_told(thing):
    verdict = verdict_of(thing.__name__, Home({thing.__name__: thing}))
    told = f"{thing.__name__} writes into what it returned before"
    assert told in verdict.misconception, verdict.message
