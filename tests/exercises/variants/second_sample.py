"""A second sample over many chapters: written from the docstrings once the diagnosis was made."""

import itertools
import math

import torch
from torch import nn
from torch.nn import functional as F

from solutions.attention_layer import scaled_dot_product_attention
from solutions.encoder_decoder import CrossAttention
from solutions.masked import causal_mask, masked_softmax
from solutions.multi_head import MultiHeadAttention, merge_heads, split_heads
from solutions.positions import rotate_positions
from solutions.softmax import softmax
from solutions.transformer_block import Encoder, EncoderBlock, FeedForward, LayerNorm
from solutions.vit import PatchEmbedding, patchify
from tests.exercises.variants import variant


@variant("softmax", about="a row that is all -inf is shared equally")
def _(scores, dim=-1):
    top = scores.amax(dim=dim, keepdim=True).detach()
    exps = torch.exp(torch.where(top == -torch.inf, torch.zeros_like(scores), scores - top))
    return exps / exps.sum(dim=dim, keepdim=True)


@variant("softmax", about="a small number in the denominator against a division by zero")
def _(scores, dim=-1):
    top = scores.detach().max(dim=dim, keepdim=True).values
    top = top.masked_fill(top == -torch.inf, 0.0)
    e = (scores - top).exp()
    return e / (e.sum(dim=dim, keepdim=True) + 1e-3)


@variant("softmax", about=("`dim` is not read, always the last axis", "powers of two, not of e"))
def _(scores, dim=-1):
    top = scores.detach().amax(-1, keepdim=True).clamp(min=-1e30)
    e = 2 ** (scores - top)
    total = e.sum(-1, keepdim=True)
    return torch.where(total > 0, e / total.clamp(min=1e-12), torch.zeros_like(e))


@variant("sharpen", about="the temperature upside down: scores times (1 - S) / S")
def _(scores, sharpness):
    if not 0 <= sharpness <= 1:
        raise ValueError(f"sharpness {sharpness} is not in [0, 1]")
    if sharpness == 0:
        return torch.full_like(scores, 1 / scores.shape[-1])
    if sharpness == 1:
        best = (scores == scores.max(-1, keepdim=True).values).to(scores.dtype)
        return best / best.sum(-1, keepdim=True)
    return torch.softmax(scores * (1 - sharpness) / sharpness, -1)


@variant("softmax_jacobian", about="outer product without the diagonal")
def _(scores):
    p = torch.softmax(scores, 0)
    return -p.unsqueeze(1) * p.unsqueeze(0)


@variant("distance_scores", about="the distance itself, not its square")
def _(query, key):
    q2 = query.pow(2).sum(-1).unsqueeze(-1)
    k2 = key.pow(2).sum(-1).unsqueeze(-2)
    d2 = (q2 + k2 - 2 * query @ key.transpose(-1, -2)).clamp(min=1e-12)
    return -d2.sqrt()


@variant("distance_scores", about=("the sign is missing", "the product enters once, not twice"))
def _(query, key):
    return (
        (query**2).sum(-1)[..., :, None]
        + (key**2).sum(-1)[..., None, :]
        - query @ key.transpose(-1, -2)
    )


@variant("cosine_scores", about="only the keys are brought to unit length")
def _(query, key):
    length = key.norm(dim=-1, keepdim=True)
    unit = key / torch.where(length > 0, length, torch.ones_like(length))
    return query @ unit.transpose(-2, -1)


@variant("scaled_dot_product_scores", about="divides by the square root of the number of keys")
def _(query, key):
    return torch.einsum("...ld,...sd->...ls", query, key) / key.size(-2) ** 0.5


@variant("exact_lookup", about="a key equals where any of its entries does")
def _(query, keys, values):
    hit = (keys == query).any(dim=1).to(values.dtype)
    return hit @ values


@variant("exact_lookup", about="keys that are nearly equal count too")
def _(query, keys, values):
    out = torch.zeros_like(values[0])
    for i in range(len(keys)):
        if torch.allclose(keys[i], query, atol=1e-3):
            out = out + values[i]
    return out


@variant("letter_similarity", about="the share of the shorter word")
def _(a, b):
    a, b = a.lower(), b.lower()
    if not a and not b:
        return 1.0
    if not a or not b:
        return 0.0
    return sum(x == y for x, y in zip(a, b, strict=False)) / min(len(a), len(b))


@variant("letter_similarity", about="counts letters that both have, wherever they stand")
def _(a, b):
    a, b = a.lower(), b.lower()
    if a == b == "":
        return 1.0
    n = 0
    for letter in a:
        if letter in b:
            n += 1
    return n / max(len(a), len(b))


@variant("weighted_average", about="not divided by the sum of the weights")
def _(weights, values):
    if (weights < 0).any() or weights.sum() == 0:
        raise ValueError("bad weights")
    return (weights.unsqueeze(1) * values).sum(0)


@variant("soft_lookup", about="softmax of the similarities")
def _(query, keys, values, similarity):
    sims = torch.stack([torch.as_tensor(similarity(query, k), dtype=values.dtype) for k in keys])
    if sims.sum() == 0:
        raise ValueError("similarities sum to zero")
    w = torch.softmax(sims, 0)
    return w @ values, w


@variant("kernel_regression", about=("the 2 is missing", "the distance is not squared"))
def _(x, keys, values, bandwidth):
    if bandwidth <= 0:
        raise ValueError("bandwidth must be positive")
    distance = (x.unsqueeze(1) - keys.unsqueeze(0)).abs()
    w = torch.softmax(-distance / bandwidth**2, dim=1)
    return w @ values


@variant("attend", about="weights times the query, not the inputs")
def _(query, inputs):
    D = query.shape[0]
    weights = torch.softmax(inputs @ query / math.sqrt(D), dim=0)
    return weights.sum() * query, weights


@variant("scaled_dot_product_attention", about="the values are averaged with the scores")
def _(query, key, value, mask=None):
    scores = query @ key.mT / query.size(-1) ** 0.5
    weights = masked_softmax(scores, mask)
    if mask is not None:
        scores = scores * mask
    return scores @ value, weights


@variant("AttentionLayer", about="the queries go through W_k too")
class _(nn.Module):
    def __init__(self, query_dim, input_dim, value_dim):
        super().__init__()
        self.query_dim = query_dim
        self.W_k = nn.Linear(input_dim, query_dim, bias=False)
        self.W_v = nn.Linear(input_dim, value_dim, bias=False)

    def forward(self, queries, inputs):
        k = self.W_k(inputs)
        v = self.W_v(inputs)
        if queries.shape[-1] == inputs.shape[-1]:
            queries = self.W_k(queries)
        return scaled_dot_product_attention(queries, k, v)


@variant("grid_to_sequence", about="columns first")
def _(features):
    B, C, H, W = features.shape
    out = features.permute(0, 3, 2, 1)
    return out.reshape(B, H * W, C)


@variant("AdditiveAttention", about="the tanh is forgotten")
class _(nn.Module):
    def __init__(self, query_dim, key_dim, attention_dim):
        super().__init__()
        self.W_s = nn.Linear(query_dim, attention_dim, bias=False)
        self.W_h = nn.Linear(key_dim, attention_dim, bias=False)
        self.v = nn.Linear(attention_dim, 1, bias=False)

    def forward(self, query, keys, mask=None):
        hidden = self.W_s(query)[:, None, :] + self.W_h(keys)
        scores = self.v(hidden)[..., 0]
        weights = masked_softmax(scores, mask, dim=1)
        return torch.einsum("bs,bsk->bk", weights, keys), weights


@variant("AdditiveAttention", about="tanh once more around the whole score")
class _(nn.Module):
    def __init__(self, query_dim, key_dim, attention_dim):
        super().__init__()
        self.W_s = nn.Linear(query_dim, attention_dim, bias=False)
        self.W_h = nn.Linear(key_dim, attention_dim, bias=False)
        self.v = nn.Linear(attention_dim, 1, bias=False)

    def forward(self, query, keys, mask=None):
        hidden = torch.tanh(self.W_s(query).unsqueeze(1) + self.W_h(keys))
        scores = torch.tanh(self.v(hidden).squeeze(-1))
        weights = masked_softmax(scores, mask)
        return (weights.unsqueeze(-1) * keys).sum(1), weights


@variant("sequence_log_prob", about="the mean over the real tokens, not the sum")
def _(logits, targets, pad_id):
    real = targets != pad_id
    logp = torch.log_softmax(logits, -1)
    picked = logp.gather(-1, torch.where(real, targets, 0).unsqueeze(-1)).squeeze(-1)
    return (picked * real).sum(1) / real.sum(1).clamp(min=1)


@variant("greedy_decode", about="the state of the first step is used in every step")
def _(step, start_state, bos_id, eos_id, max_length):
    B = start_state.shape[0]
    previous = torch.full((B,), bos_id, dtype=torch.long)
    done = torch.zeros(B, dtype=torch.bool)
    tokens, all_weights = [], []
    for _ in range(max_length):
        logits, _state, weights = step(previous, start_state)
        previous = logits.argmax(-1).masked_fill(done, eos_id)
        tokens.append(previous)
        all_weights.append(weights)
        done = done | (previous == eos_id)
        if done.all():
            break
    return torch.stack(tokens, 1), torch.stack(all_weights, 1)


@variant("causal_mask", about="zeros for the past")
def _(length, past_length=0):
    mask = torch.tril(torch.ones(length, length, dtype=torch.bool))
    past = torch.zeros(length, past_length, dtype=torch.bool)
    return torch.cat([past, mask], dim=1)


@variant("causal_mask", about=("True above the diagonal", "the past is not counted"))
def _(length, past_length=0):
    return torch.ones(length, length + past_length, dtype=torch.bool).triu(1)


@variant("padding_mask", about="one position too many is real")
def _(lengths, max_length):
    return torch.arange(max_length, device=lengths.device).unsqueeze(0) <= lengths.unsqueeze(1)


@variant("masked_softmax", about="the mask multiplies the weights, and nothing is scaled again")
def _(scores, mask=None, dim=-1):
    if mask is not None:
        safe = torch.where(mask, scores, torch.zeros_like(scores))
        return torch.softmax(safe, dim) * mask
    return softmax(scores, dim)


@variant("next_token_loss", about="the targets are not moved")
def _(logits, tokens, pad_id=None):
    flat = logits.reshape(-1, logits.shape[-1])
    target = tokens.reshape(-1)
    ignore = -100 if pad_id is None else pad_id
    if (target == ignore).all() or target.numel() == 0:
        return logits.sum() * 0
    return F.cross_entropy(flat, target, ignore_index=ignore)


@variant("mask_tokens", about="90 % become mask_id, none a random token")
def _(tokens, mask_id, vocab_size, probability=0.15, special_ids=(), generator=None):
    chosen = torch.rand(tokens.shape, generator=generator) < probability
    for special in special_ids:
        chosen &= tokens != special
    labels = torch.where(chosen, tokens, torch.full_like(tokens, -100))
    hide = chosen & (torch.rand(tokens.shape, generator=generator) < 0.9)
    inputs = torch.where(hide, torch.full_like(tokens, mask_id), tokens)
    return inputs, labels


@variant("SelfAttention", about="the weights are transposed after the softmax")
class _(nn.Module):
    def __init__(self, embed_dim, key_dim, value_dim):
        super().__init__()
        self.W_q = nn.Linear(embed_dim, key_dim, bias=False)
        self.W_k = nn.Linear(embed_dim, key_dim, bias=False)
        self.W_v = nn.Linear(embed_dim, value_dim, bias=False)

    def forward(self, x, mask=None):
        q, k, v = self.W_q(x), self.W_k(x), self.W_v(x)
        scores = q @ k.mT / math.sqrt(q.shape[-1])
        weights = masked_softmax(scores, mask).mT
        return weights @ v, weights


@variant("SelfAttention", about=("softmax over the queries", "the scores are not scaled"))
class _(nn.Module):
    def __init__(self, embed_dim, key_dim, value_dim):
        super().__init__()
        self.W_q = nn.Linear(embed_dim, key_dim, bias=False)
        self.W_k = nn.Linear(embed_dim, key_dim, bias=False)
        self.W_v = nn.Linear(embed_dim, value_dim, bias=False)

    def forward(self, x, mask=None):
        scores = self.W_q(x) @ self.W_k(x).transpose(-1, -2)
        weights = masked_softmax(scores, mask, dim=-2)
        return weights @ self.W_v(x), weights


@variant("split_heads", about="reshaped straight to (B, H, L, D)")
def _(x, num_heads):
    B, L, E = x.shape
    if E % num_heads != 0:
        raise ValueError(f"embed_dim {E} is not divisible by num_heads {num_heads}")
    return x.reshape(B, num_heads, L, E // num_heads)


@variant("MultiHeadAttention", about="W_o is applied to the values before the heads attend")
class _(nn.Module):
    def __init__(self, embed_dim, num_heads):
        super().__init__()
        if embed_dim % num_heads:
            raise ValueError(f"{embed_dim} is not divisible by {num_heads}")
        self.num_heads = num_heads
        self.W_q = nn.Linear(embed_dim, embed_dim)
        self.W_k = nn.Linear(embed_dim, embed_dim)
        self.W_v = nn.Linear(embed_dim, embed_dim)
        self.W_o = nn.Linear(embed_dim, embed_dim)

    def forward(self, query, key, value, mask=None):
        q = split_heads(self.W_q(query), self.num_heads)
        k = split_heads(self.W_k(key), self.num_heads)
        v = split_heads(self.W_o(self.W_v(value)), self.num_heads)
        heads, weights = scaled_dot_product_attention(q, k, v, mask)
        return merge_heads(heads), weights


@variant("MultiHeadAttention", about="the weights that are returned are the mean over the heads")
class _(nn.Module):
    def __init__(self, embed_dim, num_heads):
        super().__init__()
        if embed_dim % num_heads:
            raise ValueError(f"{embed_dim} is not divisible by {num_heads}")
        self.h = num_heads
        self.d = embed_dim // num_heads
        self.W_q, self.W_k, self.W_v, self.W_o = (nn.Linear(embed_dim, embed_dim) for _ in range(4))

    def forward(self, query, key, value, mask=None):
        def cut(t):
            return t.unflatten(-1, (self.h, self.d)).transpose(1, 2)

        q, k, v = cut(self.W_q(query)), cut(self.W_k(key)), cut(self.W_v(value))
        w = masked_softmax(q @ k.mT / math.sqrt(self.d), mask)
        return self.W_o((w @ v).transpose(1, 2).flatten(2)), w.mean(1)


@variant("attention_parameter_count", about="each head has matrices of the full width")
def _(embed_dim, num_heads):
    return num_heads * 3 * (embed_dim * embed_dim + embed_dim) + embed_dim * embed_dim + embed_dim


@variant("sinusoidal_positions", about="the frequencies grow instead of falling")
def _(length, embed_dim):
    pe = torch.zeros(length, embed_dim)
    for pos in range(length):
        for c in range(embed_dim):
            i = c // 2
            angle = pos * 10000 ** (2 * i / embed_dim)
            pe[pos, c] = math.sin(angle) if c % 2 == 0 else math.cos(angle)
    return pe


@variant("shift_matrix", about="turns the other way")
def _(offset, embed_dim):
    if embed_dim % 2:
        raise ValueError("embed_dim must be even")
    M = torch.zeros(embed_dim, embed_dim)
    for i in range(0, embed_dim, 2):
        w = 10000 ** (-i / embed_dim)
        c, s = math.cos(w * offset), math.sin(w * offset)
        M[i : i + 2, i : i + 2] = torch.tensor([[c, -s], [s, c]])
    return M


@variant("rotate_positions", about="the first half is paired with the second half")
def _(x, base=10000.0, start=0):
    L, D = x.shape[-2:]
    if D % 2:
        raise ValueError("D must be even")
    pos = torch.arange(start, start + L, dtype=x.dtype)
    angle = pos[:, None] * base ** (-torch.arange(0, D, 2, dtype=x.dtype) / D)
    a, b = x[..., : D // 2], x[..., D // 2 :]
    cos, sin = angle.cos(), angle.sin()
    return torch.cat([a * cos - b * sin, a * sin + b * cos], dim=-1)


@variant("rotate_positions", about=("`start` is not read", "turns clockwise"))
def _(x, base=10000.0, start=0):
    L, D = x.shape[-2:]
    if D % 2 == 1:
        raise ValueError("D must be even")
    theta = torch.arange(L, dtype=x.dtype).unsqueeze(1) * torch.tensor(
        [base ** (-2 * i / D) for i in range(D // 2)], dtype=x.dtype
    )
    even, odd = x[..., 0::2], x[..., 1::2]
    new_even = even * theta.cos() + odd * theta.sin()
    new_odd = odd * theta.cos() - even * theta.sin()
    return torch.stack([new_even, new_odd], -1).flatten(-2)


@variant("LayerNorm", about="x as it is over its standard deviation")
class _(nn.Module):
    def __init__(self, embed_dim, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(embed_dim))
        self.bias = nn.Parameter(torch.zeros(embed_dim))
        self.eps = eps

    def forward(self, x):
        var = x.var(-1, unbiased=False, keepdim=True)
        return x / torch.sqrt(var + self.eps) * self.weight + self.bias


@variant("LayerNorm", about=("eps is added after the root", "the bias is not added"))
class _(nn.Module):
    def __init__(self, embed_dim, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(embed_dim))
        self.bias = nn.Parameter(torch.zeros(embed_dim))
        self.eps = eps

    def forward(self, x):
        m = x.mean(-1, keepdim=True)
        var = ((x - m) ** 2).mean(-1, keepdim=True)
        return self.weight * (x - m) / (var.sqrt() + self.eps)


@variant("FeedForward", about="the activation stands at the end too")
class _(nn.Module):
    def __init__(self, embed_dim, hidden_dim, activation="relu"):
        super().__init__()
        if activation not in ("relu", "gelu"):
            raise ValueError(f"unknown activation {activation}")
        self.linear1 = nn.Linear(embed_dim, hidden_dim)
        self.linear2 = nn.Linear(hidden_dim, embed_dim)
        self.act = F.relu if activation == "relu" else F.gelu

    def forward(self, x):
        return self.act(self.linear2(self.act(self.linear1(x))))


@variant("EncoderBlock", about="the feed-forward has no residual connection")
class _(nn.Module):
    def __init__(
        self, embed_dim, num_heads, hidden_dim, dropout=0.0, norm_first=False, activation="relu"
    ):
        super().__init__()
        self.self_attn = MultiHeadAttention(embed_dim, num_heads)
        self.feed_forward = FeedForward(embed_dim, hidden_dim, activation)
        self.norm1, self.norm2 = LayerNorm(embed_dim), LayerNorm(embed_dim)
        self.drop = nn.Dropout(dropout)
        self.norm_first = norm_first

    def forward(self, x, mask=None):
        if self.norm_first:
            y = self.norm1(x)
            a, w = self.self_attn(y, y, y, mask)
            x = x + self.drop(a)
            return self.drop(self.feed_forward(self.norm2(x))), w
        a, w = self.self_attn(x, x, x, mask)
        x = self.norm1(x + self.drop(a))
        return self.norm2(self.drop(self.feed_forward(x))), w


@variant("EncoderBlock", about="in pre-norm the normed x is what is added to")
class _(nn.Module):
    def __init__(
        self, embed_dim, num_heads, hidden_dim, dropout=0.0, norm_first=False, activation="relu"
    ):
        super().__init__()
        self.self_attn = MultiHeadAttention(embed_dim, num_heads)
        self.feed_forward = FeedForward(embed_dim, hidden_dim, activation)
        self.norm1 = LayerNorm(embed_dim)
        self.norm2 = LayerNorm(embed_dim)
        self.dropout = nn.Dropout(dropout)
        self.norm_first = norm_first

    def forward(self, x, mask=None):
        if self.norm_first:
            x = self.norm1(x)
        attended, weights = self.self_attn(x, x, x, mask)
        x = x + self.dropout(attended)
        x = self.norm2(x) if self.norm_first else self.norm1(x)
        x = x + self.dropout(self.feed_forward(x))
        return (x if self.norm_first else self.norm2(x)), weights


@variant("Encoder", about="every layer reads x, not what the one before it returned")
class _(nn.Module):
    def __init__(
        self,
        num_layers,
        embed_dim,
        num_heads,
        hidden_dim,
        dropout=0.0,
        norm_first=False,
        activation="relu",
    ):
        super().__init__()
        self.layers = nn.ModuleList(
            EncoderBlock(embed_dim, num_heads, hidden_dim, dropout, norm_first, activation)
            for _ in range(num_layers)
        )

    def forward(self, x, mask=None):
        out, weights = x, []
        for layer in self.layers:
            out, w = layer(x, mask)
            weights.append(w)
        return out, weights


@variant("CrossAttention", about="the roles of x and memory are exchanged")
class _(nn.Module):
    def __init__(self, embed_dim, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.W_q = nn.Linear(embed_dim, embed_dim)
        self.W_k = nn.Linear(embed_dim, embed_dim)
        self.W_v = nn.Linear(embed_dim, embed_dim)
        self.W_o = nn.Linear(embed_dim, embed_dim)

    def forward(self, x, memory, memory_mask=None):
        q = split_heads(self.W_q(memory), self.num_heads)
        k = split_heads(self.W_k(x), self.num_heads)
        v = split_heads(self.W_v(x), self.num_heads)
        mask = None if memory_mask is None else memory_mask[:, None, :, None]
        out, w = scaled_dot_product_attention(q, k, v, mask)
        return self.W_o(merge_heads(out)), w


@variant("DecoderBlock", about="no mask for the self-attention")
class _(nn.Module):
    def __init__(self, embed_dim, num_heads, hidden_dim, dropout=0.0, norm_first=False):
        super().__init__()
        self.self_attn = MultiHeadAttention(embed_dim, num_heads)
        self.multihead_attn = CrossAttention(embed_dim, num_heads)
        self.feed_forward = FeedForward(embed_dim, hidden_dim)
        self.norm1, self.norm2, self.norm3 = (LayerNorm(embed_dim) for _ in range(3))
        self.dropout = nn.Dropout(dropout)
        self.norm_first = norm_first

    def forward(self, x, memory, memory_mask=None):
        cross = None

        def look_back(y):
            return self.self_attn(y, y, y)[0]

        def look_over(y):
            nonlocal cross
            out, cross = self.multihead_attn(y, memory, memory_mask)
            return out

        parts = [
            (self.norm1, look_back),
            (self.norm2, look_over),
            (self.norm3, self.feed_forward),
        ]
        for norm, part in parts:
            if self.norm_first:
                x = x + self.dropout(part(norm(x)))
            else:
                x = norm(x + self.dropout(part(x)))
        return x, cross


@variant("label_smoothed_loss", about="smoothing is shared among the other V - 1 tokens")
def _(logits, targets, smoothing=0.1, pad_id=0):
    V = logits.size(-1)
    logp = torch.log_softmax(logits, -1)
    keep = targets != pad_id
    safe = targets.masked_fill(~keep, 0)
    dist = torch.full_like(logp, smoothing / (V - 1))
    dist.scatter_(-1, safe.unsqueeze(-1), 1 - smoothing)
    loss = -(dist * logp).sum(-1)
    return torch.where(keep, loss, torch.zeros_like(loss)).sum() / keep.sum().clamp(min=1)


@variant("warmup_rate", about="max in the place of min")
def _(step, embed_dim, warmup_steps=4000):
    if step < 1:
        raise ValueError("step counts from 1")
    return 1 / math.sqrt(embed_dim) * max(1 / math.sqrt(step), step / warmup_steps**1.5)


@variant("beam_search", about="hypotheses are compared by probability per token in the beam too")
def _(step, bos_id, eos_id, beam_width, max_length, length_penalty=0.0):
    beam = [([], 0.0, False)]
    for _ in range(max_length):
        if all(done for _, _, done in beam):
            break
        candidates = [h for h in beam if h[2]]
        live = [h for h in beam if not h[2]]
        logp = step(torch.tensor([[bos_id, *t] for t, _, _ in live])).log_softmax(-1)
        for (tokens, total, _), row in zip(live, logp, strict=True):
            for v, lp in enumerate(row.tolist()):
                candidates.append(([*tokens, v], total + lp, v == eos_id))
        candidates.sort(key=lambda h: h[1] / len(h[0]), reverse=True)
        beam = candidates[:beam_width]

    def score(h):
        return h[1] / ((5 + len(h[0])) / 6) ** length_penalty

    tokens, total, _ = max(beam, key=score)
    return torch.tensor(tokens, dtype=torch.long), float(total)


@variant("patchify", about="the channel comes last inside a patch")
def _(images, patch_size):
    B, C, H, W = images.shape
    P = patch_size
    if H % P or W % P:
        raise ValueError("the image does not divide into patches")
    out = []
    for i, j in itertools.product(range(0, H, P), range(0, W, P)):
        patch = images[:, :, i : i + P, j : j + P]
        out.append(patch.permute(0, 2, 3, 1).reshape(B, -1))
    return torch.stack(out, dim=1)


@variant("PatchEmbedding", about="the positions are not added to the class token")
class _(nn.Module):
    def __init__(self, image_size, patch_size, channels, embed_dim):
        super().__init__()
        h, w = (image_size, image_size) if isinstance(image_size, int) else image_size
        self.p = patch_size
        n = (h // patch_size) * (w // patch_size)
        self.projection = nn.Linear(channels * patch_size**2, embed_dim)
        self.class_token = nn.Parameter(torch.zeros(1, 1, embed_dim))
        self.positions = nn.Parameter(torch.randn(1, n + 1, embed_dim))

    def forward(self, images):
        x = self.projection(patchify(images, self.p)) + self.positions[:, 1:]
        return torch.cat([self.class_token.expand(len(images), -1, -1), x], dim=1)


@variant("VisionTransformer", about="the class is read from the mean of all vectors")
class _(nn.Module):
    def __init__(
        self,
        image_size,
        patch_size,
        channels,
        num_classes,
        embed_dim,
        num_heads,
        hidden_dim,
        num_layers,
    ):
        super().__init__()
        self.patch_embedding = PatchEmbedding(image_size, patch_size, channels, embed_dim)
        self.encoder = Encoder(
            num_layers, embed_dim, num_heads, hidden_dim, norm_first=True, activation="gelu"
        )
        self.norm = LayerNorm(embed_dim)
        self.head = nn.Linear(embed_dim, num_classes)

    def forward(self, images):
        x, _ = self.encoder(self.patch_embedding(images))
        return self.head(self.norm(x.mean(dim=1)))


@variant("attention_rollout", about="no residual connection is counted")
def _(weights):
    result = None
    for w in weights:
        a = w.mean(dim=1)
        result = a if result is None else a @ result
    return result


@variant("masked_patch_loss", about="the mean over images of each image's own mean")
def _(predicted, target, mask):
    error = ((predicted - target) ** 2).mean(-1)
    count = mask.sum(1)
    per_image = (error * mask).sum(1) / count.clamp(min=1)
    seen = count > 0
    return (per_image * seen).sum() / seen.sum().clamp(min=1)


@variant("mean_pool", about="the vectors are not scaled to unit length")
def _(hidden, mask):
    m = mask.to(hidden.dtype).unsqueeze(-1)
    return (hidden * m).sum(1) / m.sum(1).clamp(min=1e-9)


@variant("mean_pool", about=("divides by the full length", "not scaled to unit length"))
def _(hidden, mask):
    return torch.where(mask.bool()[..., None], hidden, 0).mean(dim=1)


@variant("contrastive_loss", about="positives choose among anchors too, and the mean is taken")
def _(anchors, positives, temperature=0.05):
    def unit(v):
        n = v.norm(dim=-1, keepdim=True)
        return v / torch.where(n == 0, torch.ones_like(n), n)

    logits = unit(anchors) @ unit(positives).T / temperature
    labels = torch.arange(len(anchors))
    return (F.cross_entropy(logits, labels) + F.cross_entropy(logits.T, labels)) / 2


@variant("RMSNorm", about="divides by the mean square, without the root")
class _(nn.Module):
    def __init__(self, embed_dim, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(embed_dim))
        self.eps = eps

    def forward(self, x):
        return x / (x.square().mean(-1, keepdim=True) + self.eps) * self.weight


@variant("SwiGLU", about="silu on the wrong of the two")
class _(nn.Module):
    def __init__(self, embed_dim, hidden_dim):
        super().__init__()
        self.W_gate = nn.Linear(embed_dim, hidden_dim, bias=False)
        self.W_up = nn.Linear(embed_dim, hidden_dim, bias=False)
        self.W_down = nn.Linear(hidden_dim, embed_dim, bias=False)

    def forward(self, x):
        return self.W_down(self.W_gate(x) * F.silu(self.W_up(x)))


@variant("GroupedQueryAttention", about="key heads are shared in turns, not by neighbors")
class _(nn.Module):
    def __init__(self, embed_dim, num_heads, num_kv_heads, base=10000.0):
        super().__init__()
        if embed_dim % num_heads:
            raise ValueError(f"embed_dim {embed_dim} and num_heads {num_heads} do not fit")
        if num_heads % num_kv_heads:
            raise ValueError(f"num_heads {num_heads} and num_kv_heads {num_kv_heads} do not fit")
        self.h, self.kv, self.base = num_heads, num_kv_heads, base
        d = embed_dim // num_heads
        self.W_q = nn.Linear(embed_dim, embed_dim, bias=False)
        self.W_k = nn.Linear(embed_dim, num_kv_heads * d, bias=False)
        self.W_v = nn.Linear(embed_dim, num_kv_heads * d, bias=False)
        self.W_o = nn.Linear(embed_dim, embed_dim, bias=False)

    def forward(self, x, cache=None):
        past = 0 if cache is None else len(cache)
        q = rotate_positions(split_heads(self.W_q(x), self.h), self.base, past)
        k = rotate_positions(split_heads(self.W_k(x), self.kv), self.base, past)
        v = split_heads(self.W_v(x), self.kv)
        if cache is not None:
            k, v = cache.append(k, v)
        times = self.h // self.kv
        k, v = k.repeat(1, times, 1, 1), v.repeat(1, times, 1, 1)
        mask = causal_mask(x.shape[1], past)
        out, w = scaled_dot_product_attention(q, k, v, mask)
        return self.W_o(merge_heads(out)), w


@variant("KeyValueCache", about="appends along the axis of the heads")
class _:
    def __init__(self):
        self.keys = None
        self.values = None

    def append(self, key, value):
        if self.keys is None:
            self.keys, self.values = key, value
        else:
            self.keys = torch.cat([self.keys, key], dim=1)
            self.values = torch.cat([self.values, value], dim=1)
        return self.keys, self.values

    def __len__(self):
        return 0 if self.keys is None else self.keys.shape[2]


@variant("next_token_probabilities", about="the logits are multiplied by the temperature")
def _(logits, temperature=1.0, top_k=None, top_p=None):
    if temperature < 0:
        raise ValueError("temperature below 0")
    if top_k is not None and top_k < 1:
        raise ValueError("top_k below 1")
    if top_p is not None and not 0 < top_p <= 1:
        raise ValueError("top_p outside of (0, 1]")
    if temperature == 0:
        best = (logits == logits.amax(-1, keepdim=True)).to(logits.dtype)
        return best / best.sum(-1, keepdim=True)
    p = torch.softmax(logits * temperature, -1)
    if top_k is not None:
        kth = p.topk(min(top_k, p.shape[-1]), -1).values[..., -1:]
        p = torch.where(p >= kth, p, torch.zeros_like(p))
        p = p / p.sum(-1, keepdim=True)
    if top_p is not None:
        s, order = p.sort(-1, descending=True)
        keep = s.cumsum(-1) - s < top_p
        p = torch.zeros_like(p).scatter(-1, order, torch.where(keep, s, torch.zeros_like(s)))
        p = p / p.sum(-1, keepdim=True)
    return p


@variant("induction_score", about="looks at the earlier token itself, not at what followed it")
def _(weights, tokens):
    B, H, L, _ = weights.shape
    total, n = torch.zeros(H, dtype=weights.dtype), 0
    for b in range(B):
        for i in range(L):
            before = [j for j in range(i) if tokens[b, j] == tokens[b, i]]
            if before:
                n += 1
                total += weights[b, :, i, before].sum(-1)
    return total / n if n else total


@variant("blockwise_attention", about="the old sum is not scaled down when the maximum grows")
def _(query, key, value, block_size, causal=False):
    L, S, D = query.shape[-2], key.shape[-2], query.shape[-1]
    pieces = []
    for a in range(0, L, block_size):
        q = query[..., a : a + block_size, :]
        n = q.shape[-2]
        top = torch.full((*q.shape[:-1], 1), -torch.inf, dtype=q.dtype)
        total = torch.zeros_like(top)
        out = torch.zeros(*q.shape[:-1], value.shape[-1], dtype=q.dtype)
        for b in range(0, S, block_size):
            s = q @ key[..., b : b + block_size, :].mT / D**0.5
            if causal:
                at = torch.arange(a, a + n)[:, None] + S - L
                s = s.masked_fill(torch.arange(b, b + s.shape[-1]) > at, -torch.inf)
            new = torch.maximum(top, s.detach().amax(-1, keepdim=True))
            w = torch.exp(s - new)
            out = out * torch.exp(top - new) + w @ value[..., b : b + block_size, :]
            total = total + w.sum(-1, keepdim=True)
            top = new
        pieces.append(out / total)
    return torch.cat(pieces, -2)


@variant("equivariance_gap", about="the mean of the differences, not the largest")
def _(layer, x, permutation):
    def run(z):
        y = layer(z)
        return y[0] if isinstance(y, tuple) else y

    with torch.no_grad():
        return (run(x[permutation]) - run(x)[permutation]).abs().mean().item()
