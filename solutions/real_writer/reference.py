"""Chapter 14, a real writer: a published language model on the course's own layers."""

from collections.abc import Iterator, Sequence

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from solutions.attention_layer import scaled_dot_product_attention
from solutions.masked import causal_mask
from solutions.multi_head import merge_heads, split_heads
from solutions.positions import rotate_positions
from solutions.writer import KeyValueCache, next_token_probabilities


class RMSNorm(nn.Module):
    """Every vector divided by its root mean square, then scaled feature by feature.

    `RMSNorm(embed_dim, eps=1e-5)` has one parameter, `weight` (embed_dim), ones at first. A vector
    x becomes x / sqrt(mean(x^2) + eps), times `weight`: no mean is subtracted, and no bias added.

    Shapes: `forward(x)` takes (..., embed_dim), any leading dimensions; returns the same shape.
    Gradients reach x and `weight` and are finite, for a vector of zeros too. Inputs and earlier
    results are left unchanged; non-contiguous inputs and float64 work.
    Not: nn.RMSNorm, nn.LayerNorm, F.rms_norm, F.layer_norm, F.normalize of torch.
    Source: Zhang and Sennrich 2019, Root Mean Square Layer Normalization, equation 4.
    """

    def __init__(self, embed_dim: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(embed_dim))

    def forward(self, x: Tensor) -> Tensor:
        mean_square = x.square().mean(dim=-1, keepdim=True)  # (..., 1)
        return x * torch.rsqrt(mean_square + self.eps) * self.weight  # (..., E)


class SwiGLU(nn.Module):
    """A feed-forward network with a gate: one hidden vector decides how much of another passes.

    `SwiGLU(embed_dim, hidden_dim)` has three `nn.Linear`s without bias: `W_gate` and `W_up` from
    embed_dim to hidden_dim, and `W_down` back. `forward(x)` returns
    W_down(silu(W_gate x) * W_up x), where silu(z) = z * sigmoid(z), and the product is feature by
    feature.

    Shapes: x (..., embed_dim), any leading dimensions; returns the same shape.
    Gradients reach x and all parameters. Inputs may be as large as 1e4: the result is finite.
    Inputs and earlier results are left unchanged; non-contiguous inputs and float64 work. `F.silu`
    is allowed.
    Source: Shazeer 2020, GLU Variants Improve Transformer, equation 6.
    """

    def __init__(self, embed_dim: int, hidden_dim: int) -> None:
        super().__init__()
        self.W_gate = nn.Linear(embed_dim, hidden_dim, bias=False)
        self.W_up = nn.Linear(embed_dim, hidden_dim, bias=False)
        self.W_down = nn.Linear(hidden_dim, embed_dim, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        gate = F.silu(self.W_gate(x))  # (..., hidden_dim)
        return self.W_down(gate * self.W_up(x))  # (..., E)


class GroupedQueryAttention(nn.Module):
    """Causal attention with rotary positions, in which several query heads share a key head.

    `GroupedQueryAttention(embed_dim, num_heads, num_kv_heads, base=10000.0)` has `W_q`, `W_k`,
    `W_v` and `W_o`, each an `nn.Linear` without bias. With D = embed_dim / num_heads, queries are
    num_heads heads of D features, keys and values num_kv_heads heads of D features. Heads are
    pieces side by side, as `split_heads` cuts them. Query head h uses the keys and values of head
    h // (num_heads / num_kv_heads): neighbors share. With as many key heads as heads this is
    multi-head attention. Scores are over sqrt(D); `W_o` is applied to the heads' outputs, put side
    by side in their order.

    `forward(x, cache=None)` returns `(output, weights)`. Position i attends to itself and all
    before it. Queries and keys, not values, are turned by `rotate_positions` with `base`, at their
    place in the whole text. `cache` is a `KeyValueCache`, empty or with the keys and values of the
    P positions before x: x then stands at P and after, attends to those too, and its own keys and
    values, (B, num_kv_heads, L, D), are appended once. Whether the keys in it are turned is free.
    A text given in pieces with one cache has the outputs that it has when given at once.

    Shapes: x (B, L, embed_dim); output (B, L, embed_dim), weights (B, num_heads, L, S), S = P + L.
    Raises ValueError, when constructed, if embed_dim is not divisible by num_heads, or num_heads by
    num_kv_heads; the message names both numbers. Raises ValueError, in forward at the latest, if D
    is odd.
    Gradients reach x and all parameters. Inputs and earlier results are left unchanged;
    non-contiguous inputs and float64 work.
    Not: F.scaled_dot_product_attention, nn.MultiheadAttention of torch.
    Source: Ainslie et al. 2023, GQA, section 2.2; Su et al. 2021, RoFormer, section 3.2.2.
    """

    def __init__(
        self, embed_dim: int, num_heads: int, num_kv_heads: int, base: float = 10000.0
    ) -> None:
        super().__init__()
        for name, size, parts_name, parts in (
            ("embed_dim", embed_dim, "num_heads", num_heads),
            ("num_heads", num_heads, "num_kv_heads", num_kv_heads),
        ):
            if size % parts:
                raise ValueError(
                    f"GroupedQueryAttention: {name} {size} is not divisible by {parts_name} {parts}"
                )
        self.num_heads, self.num_kv_heads, self.base = num_heads, num_kv_heads, base
        kv_dim = embed_dim // num_heads * num_kv_heads
        self.W_q = nn.Linear(embed_dim, embed_dim, bias=False)
        self.W_k = nn.Linear(embed_dim, kv_dim, bias=False)
        self.W_v = nn.Linear(embed_dim, kv_dim, bias=False)
        self.W_o = nn.Linear(embed_dim, embed_dim, bias=False)

    def forward(self, x: Tensor, cache: KeyValueCache | None = None) -> tuple[Tensor, Tensor]:
        past = 0 if cache is None else len(cache)
        query = split_heads(self.W_q(x), self.num_heads)  # (B, H, L, D)
        key = split_heads(self.W_k(x), self.num_kv_heads)  # (B, K, L, D)
        value = split_heads(self.W_v(x), self.num_kv_heads)  # (B, K, L, D)
        query = rotate_positions(query, self.base, start=past)
        key = rotate_positions(key, self.base, start=past)
        if cache is not None:
            key, value = cache.append(key, value)  # (B, K, S, D) each
        sharing = self.num_heads // self.num_kv_heads
        key = key.repeat_interleave(sharing, dim=1)  # (B, H, S, D)
        value = value.repeat_interleave(sharing, dim=1)  # (B, H, S, D)
        mask = causal_mask(x.shape[1], past).to(x.device)  # (L, S)
        heads, weights = scaled_dot_product_attention(query, key, value, mask)
        return self.W_o(merge_heads(heads)), weights  # (B, L, E), (B, H, L, S)


class WriterBlock(nn.Module):
    """A block of this chapter's model: attention, then the feed-forward network, both pre-norm.

    `forward(x, cache, mask=True, rotation=True, heads_off=())` returns the new x (B, L, E) and the
    attention's weights (B, H, L, S). The last three are switches to look inside with: `mask=False`
    lets every position attend to all, `rotation=False` takes the positions away, and the heads in
    `heads_off` pass on nothing.
    Source: Touvron et al. 2023, LLaMA, section 2.2.
    """

    def __init__(
        self, embed_dim: int, num_heads: int, num_kv_heads: int, hidden_dim: int, base: float
    ) -> None:
        super().__init__()
        self.attention_norm = RMSNorm(embed_dim)
        self.attention = GroupedQueryAttention(embed_dim, num_heads, num_kv_heads, base)
        self.feed_forward_norm = RMSNorm(embed_dim)
        self.feed_forward = SwiGLU(embed_dim, hidden_dim)
        self.num_heads, self.num_kv_heads, self.base = num_heads, num_kv_heads, base

    def forward(
        self,
        x: Tensor,
        cache: KeyValueCache | None = None,
        mask: bool = True,
        rotation: bool = True,
        heads_off: Sequence[int] = (),
    ) -> tuple[Tensor, Tensor]:
        normed = self.attention_norm(x)  # (B, L, E)
        if mask and rotation and not heads_off:
            gathered, weights = self.attention(normed, cache)
        else:
            gathered, weights = self.switched(normed, cache, mask, rotation, heads_off)
        x = x + gathered
        return x + self.feed_forward(self.feed_forward_norm(x)), weights

    def switched(
        self,
        x: Tensor,
        cache: KeyValueCache | None,
        mask: bool,
        rotation: bool,
        heads_off: Sequence[int],
    ) -> tuple[Tensor, Tensor]:
        """What the attention returns with its switches set, from the same four matrices."""
        layer, sharing = self.attention, self.num_heads // self.num_kv_heads
        past = 0 if cache is None else len(cache)
        query = split_heads(layer.W_q(x), self.num_heads)  # (B, H, L, D)
        key = split_heads(layer.W_k(x), self.num_kv_heads)  # (B, K, L, D)
        value = split_heads(layer.W_v(x), self.num_kv_heads)  # (B, K, L, D)
        if rotation:
            query = rotate_positions(query, self.base, start=past)
            key = rotate_positions(key, self.base, start=past)
        if cache is not None:
            key, value = cache.append(key, value)  # (B, K, S, D) each
        key, value = (one.repeat_interleave(sharing, dim=1) for one in (key, value))
        allowed = causal_mask(x.shape[1], past).to(x.device) if mask else None  # (L, S)
        heads, weights = scaled_dot_product_attention(query, key, value, allowed)
        heads[:, list(heads_off)] = 0.0  # (B, H, L, D)
        return layer.W_o(merge_heads(heads)), weights


class LanguageModel(nn.Module):
    """A language model of the Llama kind: tokens in, a logit for every possible next token out.

    The sizes are those of SmolLM2-135M. One table is used twice: a token's row is its embedding,
    and the dot product with that row is its logit.

    `forward(tokens, caches=None, last=False, layers_off=(), **switches)` takes whole numbers (B, L)
    and returns logits (B, L, V), with `last` those of the last position alone, (B, 1, V). `caches`
    are as `new_caches()` makes them, one a layer: then `tokens` go on where the last call ended.
    The layers in `layers_off` are left out; `mask`, `rotation` and `heads_off`, which are pairs of
    a layer and a head, are the switches of `WriterBlock`.
    `all_weights(tokens)` returns the attention's weights, (B, H, L, L) for each layer.
    Source: Touvron et al. 2023, LLaMA, section 2.2; Ben Allal et al. 2025, SmolLM2, section
    6, and the model's config.json.
    """

    def __init__(
        self,
        vocab_size: int = 49152,
        embed_dim: int = 576,
        num_heads: int = 9,
        num_kv_heads: int = 3,
        hidden_dim: int = 1536,
        num_layers: int = 30,
        base: float = 100000.0,
    ) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embed_dim)
        self.blocks = nn.ModuleList(
            WriterBlock(embed_dim, num_heads, num_kv_heads, hidden_dim, base)
            for _ in range(num_layers)
        )
        self.norm = RMSNorm(embed_dim)

    def new_caches(self) -> list[KeyValueCache]:
        return [KeyValueCache() for _ in self.blocks]

    def layers(
        self,
        x: Tensor,
        caches: Sequence[KeyValueCache] | None = None,
        layers_off: Sequence[int] = (),
        heads_off: Sequence[tuple[int, int]] = (),
        **switches: bool,
    ) -> "Iterator[tuple[Tensor, Tensor]]":
        """What each layer returns in turn: its x (B, L, E), its weights (B, H, L, S)."""
        for number, block in enumerate(self.blocks):
            if number in layers_off:
                continue
            off = [head for layer, head in heads_off if layer == number]
            cache = None if caches is None else caches[number]
            x, weights = block(x, cache, heads_off=off, **switches)
            yield x, weights

    def forward(
        self,
        tokens: Tensor,
        caches: Sequence[KeyValueCache] | None = None,
        last: bool = False,
        **switches: object,
    ) -> Tensor:
        x = self.embedding(tokens)  # (B, L, E)
        for states, _ in self.layers(x, caches, **switches):
            x = states
        if last:
            x = x[:, -1:]  # (B, 1, E)
        return self.norm(x) @ self.embedding.weight.T  # (B, L, V)

    def all_weights(self, tokens: Tensor) -> list[Tensor]:
        return [weights for _, weights in self.layers(self.embedding(tokens))]


def write(
    model: LanguageModel,
    tokens: Sequence[int],
    most: int = 100,
    temperature: float = 0.0,
    top_k: int | None = None,
    top_p: float | None = None,
    generator: torch.Generator | None = None,
    stop: Sequence[int] = (),
    use_cache: bool = True,
    **switches: object,
) -> "Iterator[int]":
    """Go on with a text, token by token: at most `most`, and none after one of `stop`.

    Each token is drawn from `next_token_probabilities`; at temperature 0 it is the likeliest.
    Without the cache every step reads the whole text again. `switches` are those of the model.
    """
    text = list(tokens)
    caches = model.new_caches() if use_cache else None
    new = text
    for _ in range(most):
        with torch.no_grad():
            logits = model(torch.tensor([new]), caches, last=True, **switches)[0, 0]  # (V)
            probabilities = next_token_probabilities(logits, temperature, top_k, top_p)
            token = int(torch.multinomial(probabilities, 1, generator=generator))
        yield token
        if token in stop:
            return
        text.append(token)
        new = [token] if use_cache else text
