"""Chapter 11 in other styles."""

import math

import torch
from torch import nn
from torch.nn import functional as F

from autograder.checking.samples import alternative
from solutions.attention_layer import scaled_dot_product_attention
from solutions.encoder_decoder import CrossAttention, DecoderBlock
from solutions.masked import causal_mask
from solutions.multi_head import MultiHeadAttention
from solutions.positions import sinusoidal_positions
from solutions.transformer_block import Encoder, FeedForward, LayerNorm


@alternative("CrossAttention", "chapter 7's layer, inherited")
class _(MultiHeadAttention):
    def forward(self, x, memory, memory_mask=None):
        if memory_mask is not None:
            memory_mask = memory_mask.unsqueeze(1).unsqueeze(1)
        return super().forward(x, memory, memory, memory_mask)


@alternative("CrossAttention", "einops and einsum")
class _(nn.Module):
    def __init__(self, embed_dim, num_heads):
        super().__init__()
        self.heads = num_heads
        self.W_q, self.W_k, self.W_v, self.W_o = (nn.Linear(embed_dim, embed_dim) for _ in range(4))

    def forward(self, x, memory, memory_mask=None):
        from einops import rearrange, repeat

        pattern = "b n (h d) -> b h n d"
        query = rearrange(self.W_q(x), pattern, h=self.heads)
        key = rearrange(self.W_k(memory), pattern, h=self.heads)
        value = rearrange(self.W_v(memory), pattern, h=self.heads)
        scores = torch.einsum("bhld,bhsd->bhls", query, key) * query.shape[-1] ** -0.5
        if memory_mask is None:
            weights = F.softmax(scores, dim=-1)
        else:
            mask = repeat(memory_mask, "b s -> b h l s", h=self.heads, l=x.shape[1])
            scores = scores.masked_fill(~mask, -1e30)
            weights = F.softmax(scores, dim=-1).masked_fill(~mask, 0.0)
        output = rearrange(torch.einsum("bhls,bhsd->bhld", weights, value), "b h l d -> b l (h d)")
        return self.W_o(output), weights


@alternative("CrossAttention", "head by head")
class _(nn.Module):
    def __init__(self, embed_dim, num_heads):
        super().__init__()
        self.head_dim = embed_dim // num_heads
        self.W_q = nn.Linear(embed_dim, embed_dim)
        self.W_k = nn.Linear(embed_dim, embed_dim)
        self.W_v = nn.Linear(embed_dim, embed_dim)
        self.W_o = nn.Linear(embed_dim, embed_dim)

    def forward(self, x, memory, memory_mask=None):
        mask = None if memory_mask is None else memory_mask[:, None]
        heads = [
            scaled_dot_product_attention(query, key, value, mask)
            for query, key, value in zip(
                self.W_q(x).split(self.head_dim, dim=-1),
                self.W_k(memory).split(self.head_dim, dim=-1),
                self.W_v(memory).split(self.head_dim, dim=-1),
                strict=True,
            )
        ]
        output = torch.cat([output for output, _ in heads], dim=-1)
        return self.W_o(output), torch.stack([weights for _, weights in heads], dim=1)


@alternative("DecoderBlock", "two branches")
class _(nn.Module):
    def __init__(self, embed_dim, num_heads, hidden_dim, dropout=0.0, norm_first=False):
        super().__init__()
        self.norm_first = norm_first
        self.dropout = dropout
        self.self_attn = MultiHeadAttention(embed_dim, num_heads)
        self.multihead_attn = MultiHeadAttention(embed_dim, num_heads)
        self.feed_forward = FeedForward(embed_dim, hidden_dim)
        self.norm1, self.norm2, self.norm3 = (nn.LayerNorm(embed_dim) for _ in range(3))

    def forward(self, x, memory, memory_mask=None):
        def drop(y):
            return F.dropout(y, self.dropout, self.training)

        length = x.size(1)
        causal = torch.tril(torch.ones(length, length, dtype=torch.bool))
        allowed = None if memory_mask is None else memory_mask[:, None, None]
        if self.norm_first:
            y = self.norm1(x)
            x = x + drop(self.self_attn(y, y, y, causal)[0])
            y, weights = self.multihead_attn(self.norm2(x), memory, memory, allowed)
            x = x + drop(y)
            return x + drop(self.feed_forward(self.norm3(x))), weights
        x = self.norm1(x + drop(self.self_attn(x, x, x, causal)[0]))
        y, weights = self.multihead_attn(x, memory, memory, allowed)
        x = self.norm2(x + drop(y))
        return self.norm3(x + drop(self.feed_forward(x))), weights


@alternative("DecoderBlock", "a list of sublayers")
class _(nn.Module):
    def __init__(self, embed_dim, num_heads, hidden_dim, dropout=0.0, norm_first=False):
        super().__init__()
        self.pre = norm_first
        self.norm1 = LayerNorm(embed_dim)
        self.norm2 = LayerNorm(embed_dim)
        self.norm3 = LayerNorm(embed_dim)
        self.self_attn = MultiHeadAttention(embed_dim, num_heads)
        self.multihead_attn = CrossAttention(embed_dim, num_heads)
        self.feed_forward = nn.Sequential()
        self.feed_forward.add_module("linear1", nn.Linear(embed_dim, hidden_dim))
        self.feed_forward.add_module("relu", nn.ReLU())
        self.feed_forward.add_module("linear2", nn.Linear(hidden_dim, embed_dim))
        self.drop = nn.Dropout(dropout)

    def forward(self, x, memory, memory_mask=None):
        places = torch.arange(x.shape[1])
        mask = places[:, None] >= places[None, :]
        sublayers = [
            (self.norm1, lambda y: self.self_attn(y, y, y, mask)),
            (self.norm2, lambda y: self.multihead_attn(y, memory, memory_mask)),
            (self.norm3, lambda y: (self.feed_forward(y), None)),
        ]
        kept = []
        for norm, sublayer in sublayers:
            result, weights = sublayer(norm(x) if self.pre else x)
            kept.append(weights)
            x = x + self.drop(result)
            x = x if self.pre else norm(x)
        return x, kept[1]


@alternative("Transformer", "positions kept from the start")
class _(nn.Module):
    def __init__(
        self,
        source_vocab,
        target_vocab,
        embed_dim,
        num_heads,
        hidden_dim,
        num_layers,
        max_length,
        pad_id=0,
    ):
        super().__init__()
        self.scale = embed_dim**0.5
        self.pad = pad_id
        self.register_buffer("positions", sinusoidal_positions(max_length, embed_dim))
        self.source_embedding = nn.Embedding(source_vocab, embed_dim, padding_idx=pad_id)
        self.target_embedding = nn.Embedding(target_vocab, embed_dim)
        self.encoder = Encoder(num_layers, embed_dim, num_heads, hidden_dim)
        blocks = [DecoderBlock(embed_dim, num_heads, hidden_dim) for _ in range(num_layers)]
        self.decoder = nn.ModuleList(blocks)
        self.output = nn.Linear(embed_dim, target_vocab)

    def forward(self, source, target):
        for tokens in (source, target):
            if tokens.size(1) > len(self.positions):
                raise ValueError(f"{tokens.size(1)} tokens, but at most {len(self.positions)}")
        memory = self.source_embedding(source) * self.scale + self.positions[: source.size(1)]
        mask = source.ne(self.pad)
        memory, _ = self.encoder(memory, mask.unsqueeze(1).unsqueeze(1))
        x = self.target_embedding(target) * self.scale + self.positions[: target.size(1)]
        for block in self.decoder:
            x, _ = block(x, memory, memory_mask=mask)
        return self.output(x)


@alternative("Transformer", "torch's own layers inside")
class _(nn.Module):
    def __init__(
        self,
        source_vocab,
        target_vocab,
        embed_dim,
        num_heads,
        hidden_dim,
        num_layers,
        max_length,
        pad_id=0,
    ):
        super().__init__()

        def attention():
            names = ("W_q", "W_k", "W_v", "W_o")
            return nn.ModuleDict({name: nn.Linear(embed_dim, embed_dim) for name in names})

        def layer(attentions, norms):
            made = nn.ModuleDict({name: attention() for name in attentions})
            made["feed_forward"] = nn.ModuleDict(
                {
                    "linear1": nn.Linear(embed_dim, hidden_dim),
                    "linear2": nn.Linear(hidden_dim, embed_dim),
                }
            )
            for number in range(1, norms + 1):
                made[f"norm{number}"] = nn.LayerNorm(embed_dim)
            return made

        self.num_heads, self.max_length, self.pad_id = num_heads, max_length, pad_id
        self.source_embedding = nn.Embedding(source_vocab, embed_dim)
        self.target_embedding = nn.Embedding(target_vocab, embed_dim)
        layers = nn.ModuleList(layer(["self_attn"], 2) for _ in range(num_layers))
        self.encoder = nn.ModuleDict({"layers": layers})
        both = ["self_attn", "multihead_attn"]
        self.decoder = nn.ModuleList(layer(both, 3) for _ in range(num_layers))
        self.output = nn.Linear(embed_dim, target_vocab)

    def forward(self, source, target):
        def embedded(embedding, tokens):
            length, size = tokens.shape[1], embedding.embedding_dim
            if length > self.max_length:
                raise ValueError(f"length {length} is over the maximum, {self.max_length}")
            position = torch.arange(length)[:, None]
            angle = position / 10000 ** (torch.arange(0, size, 2) / size)
            table = torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1)[:, :size]
            return embedding(tokens) * math.sqrt(size) + table.to(embedding.weight.dtype)

        def attend(weights, x, memory, mask):
            query, key, value = (
                weights[name](given).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
                for name, given in (("W_q", x), ("W_k", memory), ("W_v", memory))
            )
            scores = (query @ key.mT / query.shape[-1] ** 0.5).masked_fill(~mask, -1e30)
            heads = (scores.softmax(dim=-1) * mask) @ value
            return weights["W_o"](heads.transpose(1, 2).flatten(2))

        def feed(layer, x):
            feed_forward = layer["feed_forward"]
            return feed_forward["linear2"](F.relu(feed_forward["linear1"](x)))

        real = (source != self.pad_id)[:, None, None]
        memory = embedded(self.source_embedding, source)
        for layer in self.encoder["layers"]:
            memory = layer["norm1"](memory + attend(layer["self_attn"], memory, memory, real))
            memory = layer["norm2"](memory + feed(layer, memory))
        x = embedded(self.target_embedding, target)
        causal = torch.ones(x.shape[1], x.shape[1], dtype=torch.bool).tril()
        for layer in self.decoder:
            x = layer["norm1"](x + attend(layer["self_attn"], x, x, causal))
            x = layer["norm2"](x + attend(layer["multihead_attn"], x, memory, real))
            x = layer["norm3"](x + feed(layer, x))
        return self.output(x)


@alternative("label_smoothed_loss", "the whole target distribution")
def _(logits, targets, smoothing=0.1, pad_id=0):
    vocab = logits.size(-1)
    real = targets.ne(pad_id)
    wanted = F.one_hot(targets.masked_fill(~real, 0), vocab).to(logits.dtype)
    wanted = (1 - smoothing) * wanted + smoothing / vocab
    losses = -(wanted * F.log_softmax(logits, dim=-1)).sum(dim=-1)
    return torch.where(real, losses, 0.0).sum() / max(int(real.sum()), 1)


@alternative("label_smoothed_loss", "divergence from the target and its entropy")
def _(logits, targets, smoothing=0.1, pad_id=0):
    vocab = logits.shape[-1]
    logits, targets = logits.reshape(-1, vocab), targets.reshape(-1)
    logits, targets = logits[targets != pad_id], targets[targets != pad_id]
    if len(targets) == 0:
        return logits.sum()
    wanted = torch.full_like(logits, smoothing / vocab)
    wanted[torch.arange(len(targets)), targets] += 1 - smoothing
    divergence = F.kl_div(logits.log_softmax(-1), wanted, reduction="batchmean")
    return divergence - torch.xlogy(wanted, wanted).sum() / len(targets)


@alternative("label_smoothed_loss", "logsumexp")
def _(logits, targets, smoothing=0.1, pad_id=0):
    total = logits.sum() * 0
    count = 0
    rows = logits.reshape(-1, logits.shape[-1])
    for row, target in zip(rows, targets.flatten().tolist(), strict=True):
        if target == pad_id:
            continue
        mixed = (1 - smoothing) * row[target] + smoothing * row.mean()
        total = total + torch.logsumexp(row, dim=0) - mixed
        count += 1
    return total / max(count, 1)


@alternative("warmup_rate", "two branches")
def _(step, embed_dim, warmup_steps=4000):
    if step <= 0:
        raise ValueError("the first step is step 1")
    if step < warmup_steps:
        return step / (math.sqrt(embed_dim) * warmup_steps * math.sqrt(warmup_steps))
    return 1 / math.sqrt(embed_dim * step)


@alternative("warmup_rate", "share of the peak")
def _(step, embed_dim, warmup_steps=4000):
    if not step >= 1:
        raise ValueError(f"steps count from 1, not {step}")
    peak = (embed_dim * warmup_steps) ** -0.5
    return peak * min(step / warmup_steps, (warmup_steps / step) ** 0.5)


@alternative("beam_search", "tensors, finished rows padded with eos")
def _(step, bos_id, eos_id, beam_width, max_length, length_penalty=0.0):
    beam = torch.full((1, 1), bos_id)
    totals = torch.zeros(1)
    ended = torch.zeros(1, dtype=torch.bool)
    for _ in range(max_length):
        going_on = step(beam[~ended]).log_softmax(dim=-1)
        vocab = going_on.shape[-1]
        log_probs = torch.zeros(len(beam), vocab)
        log_probs[~ended] = going_on
        stay = torch.full((vocab,), -math.inf)
        stay[eos_id] = 0.0
        log_probs = torch.where(ended[:, None], stay, log_probs)
        scores = (totals[:, None] + log_probs).flatten()
        scores, chosen = scores.topk(min(beam_width, len(scores)))
        scores, chosen = scores[scores > -math.inf], chosen[scores > -math.inf]
        parents, tokens = chosen // vocab, chosen % vocab
        beam = torch.cat([beam[parents], tokens[:, None]], dim=1)
        totals, ended = scores, ended[parents] | (tokens == eos_id)
        if ended.all():
            break
    beam = beam[:, 1:]
    lengths = ((beam == eos_id).cumsum(dim=1) - (beam == eos_id).long() == 0).sum(dim=1)
    best = (totals / ((5 + lengths) / 6) ** length_penalty).argmax()
    return beam[best, : lengths[best]], totals[best].item()


@alternative("beam_search", "a heap, one prefix at a time")
def _(step, bos_id, eos_id, beam_width, max_length, length_penalty=0.0):
    import heapq

    beam = [(0.0, (bos_id,), False)]
    for _ in range(max_length):
        found = [one for one in beam if one[2]]
        for score, tokens, ended in beam:
            if not ended:
                row = F.log_softmax(step(torch.tensor([tokens]))[0], dim=-1)
                for token, more in enumerate(row.tolist()):
                    found.append((score + more, (*tokens, token), token == eos_id))
        beam = heapq.nlargest(beam_width, found)

    def judged(one):
        return one[0] / math.pow((4 + len(one[1])) / 6, length_penalty)

    score, tokens, _ = max(beam, key=judged)
    return torch.tensor(tokens[1:]), score


@alternative("CrossAttention", "from the docstring")
class _(nn.Module):
    def __init__(self, embed_dim, num_heads):
        super().__init__()
        self.num_heads = num_heads
        for name in ("W_q", "W_k", "W_v", "W_o"):
            setattr(self, name, nn.Linear(embed_dim, embed_dim))

    def forward(self, x, memory, memory_mask=None):
        def cut(z):
            return z.unflatten(-1, (self.num_heads, -1)).transpose(1, 2)

        q, k, v = cut(self.W_q(x)), cut(self.W_k(memory)), cut(self.W_v(memory))
        scores = q @ k.mT / math.sqrt(q.shape[-1])
        if memory_mask is not None:
            allowed = memory_mask[:, None, None, :]
            scores = scores.masked_fill(~allowed, torch.finfo(scores.dtype).min)
        weights = scores.softmax(-1)
        if memory_mask is not None:
            weights = weights.masked_fill(~allowed, 0.0)
        return self.W_o((weights @ v).transpose(1, 2).flatten(2)), weights


@alternative("DecoderBlock", "from the docstring")
class _(nn.Module):
    def __init__(self, embed_dim, num_heads, hidden_dim, dropout=0.0, norm_first=False):
        super().__init__()
        self.self_attn = MultiHeadAttention(embed_dim, num_heads)
        self.multihead_attn = CrossAttention(embed_dim, num_heads)
        self.feed_forward = FeedForward(embed_dim, hidden_dim)
        self.norm1, self.norm2, self.norm3 = (
            LayerNorm(embed_dim),
            LayerNorm(embed_dim),
            LayerNorm(embed_dim),
        )
        self.drop = nn.Dropout(dropout)
        self.pre = norm_first

    def forward(self, x, memory, memory_mask=None):
        mask = causal_mask(x.shape[1])
        if self.pre:
            h = self.norm1(x)
            x = x + self.drop(self.self_attn(h, h, h, mask)[0])
            h, weights = self.multihead_attn(self.norm2(x), memory, memory_mask)
            x = x + self.drop(h)
            x = x + self.drop(self.feed_forward(self.norm3(x)))
        else:
            x = self.norm1(x + self.drop(self.self_attn(x, x, x, mask)[0]))
            h, weights = self.multihead_attn(x, memory, memory_mask)
            x = self.norm2(x + self.drop(h))
            x = self.norm3(x + self.drop(self.feed_forward(x)))
        return x, weights


@alternative("Transformer", "from the docstring")
class _(nn.Module):
    def __init__(
        self,
        source_vocab,
        target_vocab,
        embed_dim,
        num_heads,
        hidden_dim,
        num_layers,
        max_length,
        pad_id=0,
    ):
        super().__init__()
        self.source_embedding = nn.Embedding(source_vocab, embed_dim)
        self.target_embedding = nn.Embedding(target_vocab, embed_dim)
        self.encoder = Encoder(num_layers, embed_dim, num_heads, hidden_dim)
        self.decoder = nn.ModuleList(
            [DecoderBlock(embed_dim, num_heads, hidden_dim) for _ in range(num_layers)]
        )
        self.output = nn.Linear(embed_dim, target_vocab)
        self.max_length = max_length
        self.pad_id = pad_id
        self.scale = math.sqrt(embed_dim)

    def embedded(self, table, tokens):
        x = table(tokens) * self.scale
        return x + sinusoidal_positions(tokens.shape[1], x.shape[-1]).to(x)

    def forward(self, source, target):
        for tokens in (source, target):
            if tokens.shape[1] > self.max_length:
                raise ValueError(f"{tokens.shape[1]} is longer than {self.max_length}")
        real = source != self.pad_id
        memory, _ = self.encoder(
            self.embedded(self.source_embedding, source), real[:, None, None, :]
        )
        x = self.embedded(self.target_embedding, target)
        for block in self.decoder:
            x, _ = block(x, memory, real)
        return self.output(x)


@alternative("label_smoothed_loss", "from the docstring")
def _(logits, targets, smoothing=0.1, pad_id=0):
    logp = torch.log_softmax(logits, dim=-1)
    real = targets != pad_id
    right = logp.gather(-1, targets.masked_fill(~real, 0)[..., None])[..., 0]
    loss = -(1 - smoothing) * right - smoothing * logp.mean(dim=-1)
    return loss.masked_fill(~real, 0.0).sum() / real.sum().clamp(min=1)


@alternative("warmup_rate", "from the docstring")
def _(step, embed_dim, warmup_steps=4000):
    if step < 1:
        raise ValueError(step)
    if step < warmup_steps:
        return embed_dim**-0.5 * step * warmup_steps**-1.5
    return embed_dim**-0.5 * step**-0.5


@alternative("beam_search", "from the docstring")
def _(step, bos_id, eos_id, beam_width, max_length, length_penalty=0.0):
    beam = [((), 0.0, False)]
    for _ in range(max_length):
        open_ = [h for h in beam if not h[2]]
        if not open_:
            break
        prefixes = torch.tensor([[bos_id, *tokens] for tokens, _, _ in open_], dtype=torch.int64)
        logp = torch.log_softmax(step(prefixes).double(), dim=-1)
        found = [h for h in beam if h[2]]
        for (tokens, total, _), row in zip(open_, logp, strict=True):
            for token, gain in enumerate(row.tolist()):
                found.append(((*tokens, token), total + gain, token == eos_id))
        beam = sorted(found, key=lambda h: -h[1])[:beam_width]
    tokens, total, _ = max(beam, key=lambda h: h[1] / ((5 + len(h[0])) / 6) ** length_penalty)
    return torch.tensor(tokens, dtype=torch.int64), float(total)
