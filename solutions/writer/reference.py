"""Chapter 10, the writer: one token after another."""

import math
from collections.abc import Sequence

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from solutions.attention_layer import scaled_dot_product_attention
from solutions.masked import causal_mask
from solutions.multi_head import MultiHeadAttention, merge_heads, split_heads
from solutions.positions import rotate_positions
from solutions.softmax import softmax
from solutions.transformer_block import EncoderBlock, LayerNorm


class KeyValueCache:
    """What a decoder remembers: the keys and values of all positions so far.

    Made with `KeyValueCache()`, empty. With it, generation computes the key and value of each new
    token once; attending from the new queries to all that is cached, under
    `causal_mask(length, past_length)`, gives what attending over the whole text gives.

    `append(key, value)` adds positions at the end and returns `(keys, values)`: all so far, the new
    ones included, in order. `len(cache)` is their number.
    Shapes: key and value (B, H, L, D), for L new positions, one or more; returns two of
    (B, H, S, D), where S is the new length, in the dtype of what was appended.
    Gradients reach what was appended. What was appended or returned before is left unchanged, and
    two caches share nothing.
    """

    def __init__(self) -> None:
        self.length = 0
        self.stored: tuple[Tensor, Tensor] | None = None

    def append(self, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
        self.length += key.shape[-2]
        if self.stored is not None:
            keys, values = self.stored
            key = torch.cat([keys, key], dim=-2)  # (B, H, S, D)
            value = torch.cat([values, value], dim=-2)  # (B, H, S, D)
        self.stored = key, value
        return key, value

    def __len__(self) -> int:
        return self.length


def next_token_probabilities(
    logits: Tensor,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
) -> Tensor:
    """From a model's logits to the probabilities that the next token is drawn from.

    The logits are divided by the temperature; then comes a softmax. At temperature 0 everything is
    on the largest logit, shared equally if several are equally large; top_k and top_p change
    nothing. `top_k` keeps the k largest and all that are as large as the k-th; a top_k above V
    keeps all. `top_p` looks at what top_k left, scaled to sum to one, and keeps the smallest set,
    the largest first, whose sum reaches top_p: the one that reaches it stays. Which of several
    equal ones stays at that edge is free. All others get 0, and what remains sums to one.

    Shapes: logits (..., V), any leading dimensions; returns the same shape and dtype. A logit may
    be -inf if at least one in its row is finite; logits may be as large as 1e4, the temperature as
    small as 1e-4.
    Raises ValueError for a temperature below 0, a top_k below 1 and a top_p that is not in (0, 1],
    each whatever the others are.
    No gradient is needed. Inputs and earlier results are left unchanged; non-contiguous inputs and
    float64 work.
    Source: Holtzman et al. 2020, The Curious Case of Neural Text Degeneration, section 3.1.
    """
    if not temperature >= 0:
        raise ValueError(f"next_token_probabilities: temperature is {temperature}, wanted 0 or up")
    if top_k is not None and top_k < 1:
        raise ValueError(f"next_token_probabilities: top_k is {top_k}, wanted 1 or more")
    if top_p is not None and not 0 < top_p <= 1:
        raise ValueError(f"next_token_probabilities: top_p is {top_p}, wanted over 0, at most 1")
    largest = logits.amax(dim=-1, keepdim=True)  # (..., 1)
    if temperature == 0:
        ties = (logits == largest).to(logits)  # (..., V), of zeros and ones
        return ties / ties.sum(dim=-1, keepdim=True)
    scores = (logits - largest) / temperature  # (..., V), at most 0: no exponential overflows
    if top_k is not None:
        kth = logits.topk(min(top_k, logits.shape[-1]), dim=-1).values[..., -1:]  # (..., 1)
        scores = scores.masked_fill(logits < kth, -math.inf)
    probabilities = softmax(scores, dim=-1)  # (..., V)
    if top_p is not None and top_p < 1:
        ordered, order = probabilities.sort(dim=-1, descending=True)
        before = ordered.cumsum(dim=-1) - ordered  # (..., V): how much the larger ones have
        kept = torch.zeros_like(before, dtype=torch.bool).scatter(-1, order, before < top_p)
        probabilities = probabilities.masked_fill(~kept, 0.0)
        probabilities = probabilities / probabilities.sum(dim=-1, keepdim=True)
    return probabilities


def induction_score(weights: Tensor, tokens: Tensor) -> Tensor:
    """How much each head looks at what followed earlier occurrences of its token.

    For a query whose token stood earlier in its row, this is the sum of its weights on all
    positions right after those earlier ones (the query's own position may be one of them). The
    score of a head is the mean over all such queries of the batch; where there is none, it is 0 for
    all heads.

    Shapes: weights (B, H, L, L), queries by keys, causal or not; tokens (B, L), whole numbers;
    returns (H) in the dtype of weights. No gradient is needed. Inputs and earlier results are left
    unchanged; non-contiguous inputs and float64 work.
    Source: Olsson et al. 2022, In-context Learning and Induction Heads, section "Induction heads"
    and appendix (prefix matching score).
    """
    same = tokens.unsqueeze(2) == tokens.unsqueeze(1)  # (B, L, L), queries by keys
    before = same.tril(-1)  # the same token, earlier
    after = F.pad(before[..., :-1], (1, 0))  # (B, L, L): one position further
    counted = before.any(dim=-1)  # (B, L)
    looked = (weights * after.unsqueeze(1)).sum(dim=-1)  # (B, H, L)
    total = (looked * counted.unsqueeze(1)).sum(dim=(0, 2))  # (H)
    return total / counted.sum().clamp(min=1)


def blockwise_attention(
    query: Tensor, key: Tensor, value: Tensor, block_size: int, causal: bool = False
) -> Tensor:
    """Scaled dot-product attention; without gradients its memory grows with L + S, not with L * S.

    The keys are taken `block_size` at a time, for `block_size` queries at a time. A running maximum
    and a running sum make the parts into one softmax: when a larger score turns up, what was summed
    so far is scaled down.

    Shapes: query (..., L, D), key (..., S, D), value (..., S, E), the same leading dimensions;
    returns the output alone, (..., L, E), equal to that of full attention to 1e-5. Any block size
    from 1 up works, even one that divides neither L nor S or is larger than both.
    With `causal`, L <= S and the mask is `causal_mask(L, S - L)`: the last query sees all keys.
    For a block size of at most a fifth of L and of S, no intermediate result has as many elements
    as all scores, (..., L, S), and no mask as many as L * S; where the scores number more than a
    million, all that is held at once is less than half as many numbers.
    Scores may be as large as 1e4: the result is finite. Gradients reach query, key and value and
    are finite. Inputs and earlier results are left unchanged; non-contiguous inputs and float64
    work.
    Not: torch's scaled_dot_product_attention.
    Source: Milakov and Gimelshein 2018, Online normalizer calculation for softmax, algorithm 3;
    Dao et al. 2022, FlashAttention, algorithm 1.
    """
    L, S, D = query.shape[-2], key.shape[-2], query.shape[-1]
    blocks = []
    for first_query in range(0, L, block_size):
        block = query[..., first_query : first_query + block_size, :] / math.sqrt(D)  # (..., l, D)
        output = total = 0.0  # of (..., l, E) and (..., l, 1): exp(score - largest), summed
        largest = torch.full_like(block[..., :1], -math.inf)  # (..., l, 1)
        positions = torch.arange(block.shape[-2], device=query.device) + first_query + S - L
        for first_key in range(0, S, block_size):
            keys = key[..., first_key : first_key + block_size, :]  # (..., s, D)
            values = value[..., first_key : first_key + block_size, :]  # (..., s, E)
            scores = block @ keys.transpose(-2, -1)  # (..., l, s)
            if causal:
                places = torch.arange(keys.shape[-2], device=query.device) + first_key
                scores = scores.masked_fill(places > positions.unsqueeze(-1), -math.inf)
            # The first key is allowed for every query, so the maximum is finite from here on.
            new_largest = torch.maximum(largest, scores.amax(dim=-1, keepdim=True)).detach()
            shrink = torch.exp(largest - new_largest)  # (..., l, 1)
            exponentials = torch.exp(scores - new_largest)  # (..., l, s)
            total = total * shrink + exponentials.sum(dim=-1, keepdim=True)
            output = output * shrink + exponentials @ values
            largest = new_largest
        blocks.append(output / total)
    return torch.cat(blocks, dim=-2)  # (..., L, E)


class RotaryAttention(MultiHeadAttention):
    """Chapter 7's attention with chapter 6's rotation, and with a memory where there is one.

    `RotaryAttention(embed_dim, num_heads)` has the parameters of `MultiHeadAttention`. Queries and
    keys, not values, are turned by `rotate_positions` at their place in the text. With a
    `KeyValueCache` as its `cache`, what comes goes on where the last call ended, and is appended:
    the mask is then as wide as all that is cached. With None, as at first, it begins at 0.

    `forward(query, key, value, mask=None)`, `(B, L, E)` each, returns `(output, weights)`,
    (B, L, E) and (B, H, L, S).
    Source: Su et al. 2021, RoFormer, section 3.2.2.
    """

    cache = None

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        past = 0 if self.cache is None else len(self.cache)
        query = split_heads(self.W_q(query), self.num_heads)  # (B, H, L, D)
        key = split_heads(self.W_k(key), self.num_heads)  # (B, H, L, D)
        value = split_heads(self.W_v(value), self.num_heads)  # (B, H, L, D)
        query, key = rotate_positions(torch.stack([query, key]), start=past)  # both at once
        if self.cache is not None:
            key, value = self.cache.append(key, value)  # (B, H, S, D)
        heads, weights = scaled_dot_product_attention(query, key, value, mask)
        return self.W_o(merge_heads(heads)), weights  # (B, L, E), (B, H, L, S)


class CharacterModel(nn.Module):
    """A model that writes: tokens in, a logit for every possible next token out.

    Its layers are pre-norm `EncoderBlock`s under a causal mask, with `RotaryAttention` in them. At
    first the last matrix of each part is zeros: a new layer adds its biases, and nothing else.

    `forward(tokens, caches=None)` takes whole numbers (B, L) and returns logits (B, L, V). `caches`
    has one `KeyValueCache` for each layer: then `tokens` go on where the last call ended.
    `all_weights(tokens)` returns the attention's weights, (B, H, L, L) for each layer.
    Source: Radford et al. 2018, section 3.1, for blocks under a causal mask.
    """

    def __init__(
        self, vocab_size: int, embed_dim: int = 96, num_heads: int = 4, num_layers: int = 3
    ) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embed_dim)
        nn.init.normal_(self.embedding.weight, std=0.3)
        self.layers = nn.ModuleList()
        for _ in range(num_layers):
            block = EncoderBlock(embed_dim, num_heads, 4 * embed_dim, norm_first=True)
            block.self_attn = RotaryAttention(embed_dim, num_heads)
            nn.init.zeros_(block.self_attn.W_o.weight)
            nn.init.zeros_(block.feed_forward.linear2.weight)
            self.layers.append(block)
        self.norm = LayerNorm(embed_dim)
        self.output = nn.Linear(embed_dim, vocab_size)

    def forward(self, tokens: Tensor, caches: Sequence | None = None) -> Tensor:
        return self._passed(tokens, caches)[0]

    def all_weights(self, tokens: Tensor) -> list[Tensor]:
        return self._passed(tokens)[1]

    def _passed(
        self, tokens: Tensor, caches: Sequence | None = None
    ) -> tuple[Tensor, list[Tensor]]:
        mask = causal_mask(tokens.shape[1], len(caches[0]) if caches else 0)  # (L, S)
        x, seen = self.embedding(tokens), []  # (B, L, E)
        for number, block in enumerate(self.layers):
            block.self_attn.cache = caches[number] if caches else None
            x, weights = block(x, mask)
            seen.append(weights)
        return self.output(self.norm(x)), seen  # (B, L, V)


@torch.no_grad()
def write(
    model: CharacterModel,
    tokens: Tensor,
    number: int,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
    context: int = 64,
    generator: torch.Generator | None = None,
) -> Tensor:
    """Go on with a text: tokens (L) to (L + number), each new one drawn and remembered.

    The caches begin with the latest `context // 2` tokens at most, and anew where they hold
    `context` positions: the model was not trained on texts longer than that.
    """
    caches = None
    for _ in range(number):
        if caches is None or len(caches[0]) >= context:
            caches = [KeyValueCache() for _ in model.layers]
            new = tokens[-context // 2 :]
        logits = model(new[None], caches)[0, -1]  # (V)
        chances = next_token_probabilities(logits, temperature, top_k, top_p)
        new = torch.multinomial(chances, 1, generator=generator)  # (1)
        tokens = torch.cat([tokens, new])
    return tokens
