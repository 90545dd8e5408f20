"""Chapter 3 in other styles."""

import math

import torch
from torch import nn
from torch.nn import functional as F

from autograder.checking.samples import alternative
from solutions.bahdanau import AdditiveAttention


@alternative("BidirectionalEncoder", "two cells, step by step")
class _(nn.Module):
    def __init__(self, vocab_size, embed_dim, hidden_dim, pad_id=0):
        super().__init__()
        self.words = nn.Embedding(vocab_size, embed_dim)
        self.right = nn.GRUCell(embed_dim, hidden_dim)
        self.left = nn.GRUCell(embed_dim, hidden_dim)
        self.first_state = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.hidden_dim = hidden_dim

    def forward(self, tokens, lengths):
        x = self.words(tokens)
        B, S, _ = x.shape
        real = (torch.arange(S, device=tokens.device) < lengths[:, None]).unsqueeze(-1)
        forward, backward = [None] * S, [None] * S
        h = x.new_zeros(B, self.hidden_dim)
        for j in range(S):
            h = torch.where(real[:, j], self.right(x[:, j], h), h)
            forward[j] = h
        h = x.new_zeros(B, self.hidden_dim)
        for j in reversed(range(S)):
            h = torch.where(real[:, j], self.left(x[:, j], h), h)  # zeros until the last token
            backward[j] = h
        both = torch.cat([torch.stack(forward, 1), torch.stack(backward, 1)], dim=-1)
        return both * real, torch.tanh(self.first_state(h))


@alternative("BidirectionalEncoder", "an LSTM, sentence by sentence")
class _(nn.Module):
    def __init__(self, vocab_size, embed_dim, hidden_dim, pad_id=0):
        super().__init__()
        self.hidden_dim = hidden_dim
        self.net = nn.ModuleDict(
            {
                "embed": nn.Embedding(vocab_size, embed_dim, padding_idx=pad_id),
                "lstm": nn.LSTM(embed_dim, hidden_dim, batch_first=True, bidirectional=True),
                "bridge": nn.Sequential(nn.Linear(hidden_dim, hidden_dim), nn.Tanh()),
            }
        )

    def forward(self, tokens, lengths):
        annotations, last = [], []
        for row, n in zip(tokens, lengths.tolist(), strict=True):
            output, _ = self.net["lstm"](self.net["embed"](row[:n])[None])
            annotations.append(F.pad(output[0], (0, 0, 0, len(row) - n)))
            last.append(output[0, 0, self.hidden_dim :])
        return torch.stack(annotations), self.net["bridge"](torch.stack(last))


@alternative("BidirectionalEncoder", "packed")
class _(nn.Module):
    def __init__(self, vocab_size, embed_dim, hidden_dim, pad_id=0):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embed_dim, padding_idx=pad_id)
        self.rnn = nn.GRU(embed_dim, hidden_dim, batch_first=True, bidirectional=True)
        self.start = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, tokens, lengths):
        packed = nn.utils.rnn.pack_padded_sequence(
            self.embedding(tokens), lengths.cpu(), batch_first=True, enforce_sorted=False
        )
        packed, (_, backward) = self.rnn(packed)
        annotations, _ = nn.utils.rnn.pad_packed_sequence(
            packed, batch_first=True, total_length=tokens.shape[1]
        )
        return annotations, torch.tanh(self.start(backward))


@alternative("AdditiveAttention", "weights zeroed and divided again")
class _(nn.Module):
    def __init__(self, query_dim, key_dim, attention_dim):
        super().__init__()
        self.v = nn.Linear(attention_dim, 1, bias=False)
        self.W_h = nn.Linear(key_dim, attention_dim, bias=False)
        self.W_s = nn.Linear(query_dim, attention_dim, bias=False)

    def forward(self, query, keys, mask=None):
        scores = self.v((self.W_s(query)[:, None, :] + self.W_h(keys)).tanh())[..., 0]
        if mask is None:
            mask = torch.ones_like(scores, dtype=torch.bool)
        lowest = torch.finfo(scores.dtype).min
        weights = F.softmax(scores.masked_fill(~mask, lowest), dim=-1) * mask
        return torch.bmm(weights[:, None], keys)[:, 0], weights


@alternative("AdditiveAttention", "einsum and nan_to_num")
class _(nn.Module):
    def __init__(self, query_dim, key_dim, attention_dim):
        super().__init__()
        self.W_s = nn.Linear(query_dim, attention_dim, False)
        self.W_h = nn.Linear(key_dim, attention_dim, False)
        self.v = nn.Linear(attention_dim, 1, False)

    def forward(self, query, keys, mask=None):
        asked = torch.einsum("bq,aq->ba", query, self.W_s.weight)
        found = torch.einsum("bsk,ak->bsa", keys, self.W_h.weight)
        scores = torch.einsum("bsa,za->bs", torch.tanh(asked.unsqueeze(1) + found), self.v.weight)
        if mask is not None:
            scores = torch.where(mask, scores, -math.inf)
        weights = scores.softmax(-1).nan_to_num(0.0)
        return (weights.unsqueeze(-1) * keys).sum(dim=1), weights


@alternative("AdditiveAttention", "key by key")
class _(nn.Module):
    def __init__(self, query_dim, key_dim, attention_dim):
        super().__init__()
        self.W_s = nn.Linear(query_dim, attention_dim, bias=False)
        self.W_h = nn.Linear(key_dim, attention_dim, bias=False)
        self.v = nn.Linear(attention_dim, 1, bias=False)

    def forward(self, query, keys, mask=None):
        columns = [self.v(torch.tanh(self.W_s(query) + self.W_h(key))) for key in keys.unbind(1)]
        scores = torch.cat(columns, dim=1)
        numbers = torch.exp(scores - scores.amax(dim=1, keepdim=True).detach())
        if mask is not None:
            numbers = numbers * mask
        total = numbers.sum(dim=1, keepdim=True)
        weights = numbers / torch.where(total > 0, total, 1.0)
        context = sum(weights[:, j, None] * keys[:, j] for j in range(keys.shape[1]))
        return context, weights


@alternative("AttentionDecoder", "a layer for each term")
class _(nn.Module):
    def __init__(self, vocab_size, embed_dim, hidden_dim, key_dim, attention_dim):
        super().__init__()
        self.embed = nn.Embedding(vocab_size, embed_dim)
        self.from_state = nn.Linear(hidden_dim, attention_dim)
        self.from_keys = nn.Linear(key_dim, attention_dim, bias=False)
        self.score = nn.Linear(attention_dim, 1, bias=False)
        self.cell = nn.GRUCell(key_dim + embed_dim, hidden_dim)
        self.logits = nn.Linear(hidden_dim, vocab_size)

    def forward(self, previous, state, annotations, mask):
        energy = torch.tanh(self.from_state(state)[:, None] + self.from_keys(annotations))
        scores = self.score(energy)[:, :, 0]
        if mask is not None:
            scores = scores.masked_fill(~mask, -1e30)
        weights = scores.softmax(dim=-1)
        if mask is not None:
            weights = weights * mask
        context = torch.einsum("bs,bsk->bk", weights, annotations)
        new_state = self.cell(torch.cat((context, self.embed(previous)), 1), state)
        return self.logits(new_state), new_state, weights


@alternative("AttentionDecoder", "the paper's gates by hand")
class _(nn.Module):
    def __init__(self, vocab_size, embed_dim, hidden_dim, key_dim, attention_dim):
        super().__init__()
        self.E = nn.Embedding(vocab_size, embed_dim)
        self.align = AdditiveAttention(hidden_dim, key_dim, attention_dim)
        self.gates = nn.Linear(embed_dim + hidden_dim + key_dim, 2 * hidden_dim)
        self.candidate = nn.Linear(embed_dim + hidden_dim + key_dim, hidden_dim)
        self.maxout = nn.Linear(hidden_dim + embed_dim + key_dim, 2 * hidden_dim)
        self.W_o = nn.Linear(hidden_dim, vocab_size)

    def forward(self, previous, state, annotations, mask):
        context, weights = self.align(state, annotations, mask)
        word = self.E(previous)
        update, reset = self.gates(torch.cat([word, state, context], -1)).sigmoid().chunk(2, -1)
        candidate = torch.tanh(self.candidate(torch.cat([word, reset * state, context], -1)))
        state = (1 - update) * state + update * candidate
        deep = self.maxout(torch.cat([state, word, context], -1)).unflatten(-1, (-1, 2))
        return self.W_o(deep.amax(dim=-1)), state, weights


@alternative("sequence_log_prob", "cross-entropy")
def _(logits, targets, pad_id):
    losses = F.cross_entropy(logits.mT, targets, ignore_index=pad_id, reduction="none")
    return -losses.sum(dim=1)


@alternative("sequence_log_prob", "logsumexp and one-hot")
def _(logits, targets, pad_id):
    real = targets.ne(pad_id)
    one_hot = F.one_hot(targets.where(real, torch.zeros_like(targets)), logits.shape[-1])
    scores = (logits * one_hot).sum(dim=-1) - logits.logsumexp(dim=-1)
    return torch.where(real, scores, 0.0).sum(dim=-1)


@alternative("sequence_log_prob", "loops")
def _(logits, targets, pad_id):
    totals = []
    for row, wanted in zip(logits, targets.tolist(), strict=True):
        total = 0.0 * row.sum()
        for scores, token in zip(row, wanted, strict=True):
            if token != pad_id:
                total = total + scores.log_softmax(dim=0)[token]
        totals.append(total)
    return torch.stack(totals)


@alternative("greedy_decode", "for, break, torch.where")
def _(step, start_state, bos_id, eos_id, max_length):
    B = start_state.shape[0]
    previous = torch.full((B,), bos_id)
    done = torch.zeros(B, dtype=torch.bool)
    state = start_state
    tokens, weights = [], []
    for _ in range(max_length):
        logits, state, attention = step(previous, state)
        chosen = torch.where(done, eos_id, logits.argmax(dim=-1))
        tokens.append(chosen)
        weights.append(attention)
        done = done | (chosen == eos_id)
        if done.all():
            break
        previous = chosen
    return torch.stack(tokens, dim=1), torch.stack(weights, dim=1)


@alternative("greedy_decode", "write on, then cut and fill")
@torch.no_grad()
def _(step, start_state, bos_id, eos_id, max_length):
    previous = torch.tensor([bos_id] * len(start_state))
    state, columns, maps = start_state, [], []
    while True:
        logits, state, weights = step(previous, state)
        previous = logits.max(dim=1).indices
        columns.append(previous[:, None])
        maps.append(weights[:, None, :])
        tokens = torch.cat(columns, dim=1)
        if len(columns) == max_length or (tokens == eos_id).any(dim=1).all():
            break
    after = (tokens == eos_id).cumsum(dim=1) > 0
    return tokens.masked_fill(after, eos_id), torch.cat(maps, dim=1)


@alternative("BidirectionalEncoder", "from the docstring")
class _(nn.Module):
    def __init__(self, vocab_size, embed_dim, hidden_dim, pad_id=0):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embed_dim)
        self.there = nn.GRU(embed_dim, hidden_dim, batch_first=True)
        self.back = nn.GRU(embed_dim, hidden_dim, batch_first=True)
        self.start = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, tokens, lengths):
        S = tokens.shape[1]
        place = torch.arange(S, device=tokens.device)[None, :]
        lengths = lengths[:, None]
        real = place < lengths
        order = torch.where(real, lengths - 1 - place, place)
        x = self.embedding(tokens)
        forward, _ = self.there(x)
        turned = x.gather(1, order[:, :, None].expand_as(x))
        backward, _ = self.back(turned)
        backward = backward.gather(1, order[:, :, None].expand_as(backward))
        annotations = torch.cat([forward, backward], dim=-1) * real[:, :, None]
        state = torch.tanh(self.start(backward[:, 0]))
        return annotations, state


@alternative("AdditiveAttention", "from the docstring")
class _(nn.Module):
    def __init__(self, query_dim, key_dim, attention_dim):
        super().__init__()
        self.W_s = nn.Linear(query_dim, attention_dim, bias=False)
        self.W_h = nn.Linear(key_dim, attention_dim, bias=False)
        self.v = nn.Linear(attention_dim, 1, bias=False)

    def forward(self, query, keys, mask=None):
        joint = torch.tanh(self.W_s(query)[:, None, :] + self.W_h(keys))
        scores = self.v(joint)[..., 0]
        if mask is None:
            weights = scores.softmax(dim=1)
        else:
            empty = ~mask.any(dim=1, keepdim=True)
            weights = scores.masked_fill(~mask & ~empty, -math.inf).softmax(dim=1)
            weights = weights.masked_fill(~mask, 0.0)
        return (weights[:, :, None] * keys).sum(dim=1), weights


@alternative("AttentionDecoder", "from the docstring")
class _(nn.Module):
    def __init__(self, vocab_size, embed_dim, hidden_dim, key_dim, attention_dim):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embed_dim)
        self.attention = AdditiveAttention(hidden_dim, key_dim, attention_dim)
        self.cell = nn.GRUCell(embed_dim + key_dim, hidden_dim)
        self.out = nn.Linear(hidden_dim + key_dim + embed_dim, vocab_size)

    def forward(self, previous, state, annotations, mask):
        token = self.embedding(previous)
        context, weights = self.attention(state, annotations, mask)
        state = self.cell(torch.cat([token, context], dim=-1), state)
        logits = self.out(torch.cat([state, context, token], dim=-1))
        return logits, state, weights


@alternative("sequence_log_prob", "from the docstring")
def _(logits, targets, pad_id):
    logp = torch.log_softmax(logits, dim=-1)
    real = targets != pad_id
    picked = logp.gather(-1, targets.masked_fill(~real, 0)[..., None])[..., 0]
    return picked.masked_fill(~real, 0.0).sum(dim=-1)


@alternative("greedy_decode", "from the docstring")
def _(step, start_state, bos_id, eos_id, max_length):
    B = start_state.shape[0]
    previous = torch.full((B,), bos_id, dtype=torch.int64)
    state = start_state
    ended = torch.zeros(B, dtype=torch.bool)
    tokens, maps = [], []
    for _ in range(max_length):
        logits, state, weights = step(previous, state)
        previous = logits.argmax(dim=-1)
        previous = torch.where(ended, torch.full_like(previous, eos_id), previous)
        ended = ended | (previous == eos_id)
        tokens.append(previous)
        maps.append(weights)
        if ended.all():
            break
    return torch.stack(tokens, dim=1), torch.stack(maps, dim=1)
