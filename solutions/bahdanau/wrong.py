"""Wrong answers to chapter 3, as people write them: its check must fail each.

Most are written from the docstrings alone, not from the list of mistakes.
"""

import torch
from torch import nn
from torch.nn import functional as F
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from autograder.checking.samples import wrong
from solutions.bahdanau import AdditiveAttention
from solutions.masked import masked_softmax


@wrong("BidirectionalEncoder", about="the backward direction begins in the padding")
class _(nn.Module):
    def __init__(self, vocab_size, embed_dim, hidden_dim, pad_id=0):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embed_dim)
        self.gru = nn.GRU(embed_dim, hidden_dim, batch_first=True, bidirectional=True)
        self.linear = nn.Linear(hidden_dim, hidden_dim)
        self.hidden_dim = hidden_dim

    def forward(self, tokens, lengths):
        out, _ = self.gru(self.embedding(tokens))
        state = torch.tanh(self.linear(out[:, 0, self.hidden_dim :]))
        real = torch.arange(tokens.shape[1]) < lengths[:, None]
        return out * real[..., None], state


@wrong("BidirectionalEncoder", about="lengths must be sorted")
class _(nn.Module):
    def __init__(self, vocab_size, embed_dim, hidden_dim, pad_id=0):
        super().__init__()
        self.emb = nn.Embedding(vocab_size, embed_dim)
        self.rnn = nn.GRU(embed_dim, hidden_dim, batch_first=True, bidirectional=True)
        self.to_state = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, tokens, lengths):
        packed = pack_padded_sequence(self.emb(tokens), lengths, batch_first=True)
        out, h = self.rnn(packed)
        out, _ = pad_packed_sequence(out, batch_first=True, total_length=tokens.size(1))
        return out, torch.tanh(self.to_state(h[1]))


@wrong("BidirectionalEncoder", about="only as many annotations as the largest length")
class _(nn.Module):
    def __init__(self, vocab_size, embed_dim, hidden_dim, pad_id=0):
        super().__init__()
        self.embed = nn.Embedding(vocab_size, embed_dim)
        self.rnn = nn.GRU(embed_dim, hidden_dim, batch_first=True, bidirectional=True)
        self.fc = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, tokens, lengths):
        x = pack_padded_sequence(
            self.embed(tokens), lengths.cpu(), batch_first=True, enforce_sorted=False
        )
        out, h = self.rnn(x)
        annotations = pad_packed_sequence(out, batch_first=True)[0]
        return annotations, self.fc(h[-1]).tanh()


@wrong("BidirectionalEncoder", about="the state is made from the forward direction")
class _(nn.Module):
    def __init__(self, vocab_size, embed_dim, hidden_dim, pad_id=0):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embed_dim, padding_idx=None)
        self.rnn = nn.LSTM(embed_dim, hidden_dim, batch_first=True, bidirectional=True)
        self.bridge = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, tokens, lengths):
        packed = pack_padded_sequence(
            self.embedding(tokens), lengths, batch_first=True, enforce_sorted=False
        )
        out, (h, _) = self.rnn(packed)
        out, _ = pad_packed_sequence(out, batch_first=True, total_length=tokens.shape[1])
        return out, torch.tanh(self.bridge(h[0]))


@wrong("BidirectionalEncoder", about="padding has annotations that are not zeros")
class _(nn.Module):
    def __init__(self, vocab_size, embed_dim, hidden_dim, pad_id=0):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embed_dim)
        self.forth = nn.GRUCell(embed_dim, hidden_dim)
        self.back = nn.GRUCell(embed_dim, hidden_dim)
        self.init = nn.Linear(hidden_dim, hidden_dim)
        self.hidden_dim = hidden_dim

    def forward(self, tokens, lengths):
        x = self.embedding(tokens)
        B, S, _ = x.shape
        h = x.new_zeros(B, self.hidden_dim)
        forth, back = [], []
        for t in range(S):
            h = self.forth(x[:, t], h)
            forth.append(h)
        h = x.new_zeros(B, self.hidden_dim)
        for t in reversed(range(S)):
            h = torch.where((t < lengths)[:, None], self.back(x[:, t], h), h)
            back.insert(0, h)
        annotations = torch.cat([torch.stack(forth, 1), torch.stack(back, 1)], dim=-1)
        return annotations, torch.tanh(self.init(back[0]))


@wrong("BidirectionalEncoder", about="the backward outputs are not turned around again")
class _(nn.Module):
    def __init__(self, vocab_size, embed_dim, hidden_dim, pad_id=0):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embed_dim)
        self.forward_rnn = nn.GRU(embed_dim, hidden_dim, batch_first=True)
        self.backward_rnn = nn.GRU(embed_dim, hidden_dim, batch_first=True)
        self.W = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, tokens, lengths):
        x = self.embedding(tokens)
        B, S, _ = x.shape
        where = (lengths[:, None] - 1 - torch.arange(S)).clamp(min=0)
        flipped = x.gather(1, where[..., None].expand_as(x))
        fwd, _ = self.forward_rnn(x)
        bwd, _ = self.backward_rnn(flipped)
        last = bwd[torch.arange(B), lengths - 1]
        real = (torch.arange(S)[None] < lengths[:, None]).unsqueeze(-1)
        return torch.cat([fwd, bwd], -1) * real, torch.tanh(self.W(last))


@wrong("BidirectionalEncoder", about="the state has no tanh")
class _(nn.Module):
    def __init__(self, vocab_size, embed_dim, hidden_dim, pad_id=0):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embed_dim)
        self.rnn = nn.GRU(embed_dim, hidden_dim, batch_first=True, bidirectional=True)
        self.start = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, tokens, lengths):
        packed = pack_padded_sequence(
            self.embedding(tokens), lengths, batch_first=True, enforce_sorted=False
        )
        out, h = self.rnn(packed)
        out, _ = pad_packed_sequence(out, batch_first=True, total_length=tokens.shape[1])
        return out, self.start(h[1])


@wrong("BidirectionalEncoder", about="batch_first is forgotten, rows and time are exchanged")
class _(nn.Module):
    def __init__(self, vocab_size, embed_dim, hidden_dim, pad_id=0):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embed_dim)
        self.rnn = nn.GRU(embed_dim, hidden_dim, bidirectional=True)
        self.linear = nn.Linear(hidden_dim, hidden_dim)
        self.hidden_dim = hidden_dim

    def forward(self, tokens, lengths):
        out, _ = self.rnn(self.embedding(tokens))
        mask = torch.arange(tokens.shape[1])[None, :] < lengths[:, None]
        out = out.masked_fill(~mask.unsqueeze(-1), 0.0)
        return out, torch.tanh(self.linear(out[:, 0, self.hidden_dim :]))


@wrong(
    "BidirectionalEncoder",
    about=("the backward direction begins in the padding", "the state has no tanh"),
)
class _(nn.Module):
    def __init__(self, vocab_size, embed_dim, hidden_dim, pad_id=0):
        super().__init__()
        self.e = nn.Embedding(vocab_size, embed_dim, padding_idx=pad_id)
        self.r = nn.GRU(embed_dim, hidden_dim, bidirectional=True, batch_first=True)
        self.s = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, tokens, lengths):
        out, h = self.r(self.e(tokens))
        for b, n in enumerate(lengths.tolist()):
            out = torch.cat(
                [out[:b], F.pad(out[b : b + 1, :n], (0, 0, 0, len(out[b]) - n)), out[b + 1 :]]
            )
        return out, self.s(h[1])


@wrong("AdditiveAttention", about="no tanh")
class _(nn.Module):
    def __init__(self, query_dim, key_dim, attention_dim):
        super().__init__()
        self.W_s = nn.Linear(query_dim, attention_dim, bias=False)
        self.W_h = nn.Linear(key_dim, attention_dim, bias=False)
        self.v = nn.Linear(attention_dim, 1, bias=False)

    def forward(self, query, keys, mask=None):
        scores = self.v(self.W_s(query).unsqueeze(1) + self.W_h(keys)).squeeze(-1)
        if mask is not None:
            scores = scores.masked_fill(~mask, -1e30)
        weights = torch.softmax(scores, dim=-1)
        if mask is not None:
            weights = weights.masked_fill(~mask, 0.0)
        return (weights.unsqueeze(-1) * keys).sum(1), weights


@wrong("AdditiveAttention", about="the layers have a bias")
class _(nn.Module):
    def __init__(self, query_dim, key_dim, attention_dim):
        super().__init__()
        self.W_s = nn.Linear(query_dim, attention_dim)
        self.W_h = nn.Linear(key_dim, attention_dim)
        self.v = nn.Linear(attention_dim, 1)

    def forward(self, query, keys, mask=None):
        energy = self.v(torch.tanh(self.W_s(query)[:, None] + self.W_h(keys)))[..., 0]
        if mask is not None:
            energy = torch.where(mask, energy, -1e30)
        alpha = energy.softmax(dim=1)
        if mask is not None:
            alpha = alpha * mask
        return torch.einsum("bs,bsk->bk", alpha, keys), alpha


@wrong("AdditiveAttention", about="a row that allows nothing gives NaN")
class _(nn.Module):
    def __init__(self, query_dim, key_dim, attention_dim):
        super().__init__()
        self.W_s = nn.Linear(query_dim, attention_dim, bias=False)
        self.W_h = nn.Linear(key_dim, attention_dim, bias=False)
        self.v = nn.Linear(attention_dim, 1, bias=False)

    def forward(self, query, keys, mask=None):
        hidden = torch.tanh(self.W_s(query).unsqueeze(-2) + self.W_h(keys))
        scores = self.v(hidden).squeeze(-1)
        if mask is not None:
            scores = scores.masked_fill(mask == 0, float("-inf"))
        weights = F.softmax(scores, dim=-1)
        return torch.bmm(weights.unsqueeze(1), keys).squeeze(1), weights


@wrong("AdditiveAttention", about="softmax over the batch")
class _(nn.Module):
    def __init__(self, query_dim, key_dim, attention_dim):
        super().__init__()
        self.W_s = nn.Linear(query_dim, attention_dim, bias=False)
        self.W_h = nn.Linear(key_dim, attention_dim, bias=False)
        self.v = nn.Linear(attention_dim, 1, bias=False)

    def forward(self, query, keys, mask=None):
        scores = self.v(torch.tanh(self.W_s(query)[:, None, :] + self.W_h(keys))).squeeze(2)
        if mask is not None:
            scores = scores.masked_fill(~mask, -1e30)
        weights = F.softmax(scores, dim=0)
        if mask is not None:
            weights = weights.masked_fill(~mask, 0)
        return torch.matmul(weights[:, None], keys)[:, 0], weights


@wrong("AdditiveAttention", about="squeezes everything, a batch of one is lost")
class _(nn.Module):
    def __init__(self, query_dim, key_dim, attention_dim):
        super().__init__()
        self.W_s = nn.Linear(query_dim, attention_dim, bias=False)
        self.W_h = nn.Linear(key_dim, attention_dim, bias=False)
        self.v = nn.Linear(attention_dim, 1, bias=False)

    def forward(self, query, keys, mask=None):
        scores = self.v(torch.tanh(self.W_s(query).unsqueeze(1) + self.W_h(keys))).squeeze()
        if mask is not None:
            scores = scores.masked_fill(~mask, -1e30)
        weights = scores.softmax(-1)
        if mask is not None:
            weights = weights.masked_fill(~mask, 0.0)
        return (weights.unsqueeze(-1) * keys).sum(dim=-2), weights


@wrong("AdditiveAttention", about="masks after the softmax")
class _(nn.Module):
    def __init__(self, query_dim, key_dim, attention_dim):
        super().__init__()
        self.W_s = nn.Linear(query_dim, attention_dim, bias=False)
        self.W_h = nn.Linear(key_dim, attention_dim, bias=False)
        self.v = nn.Linear(attention_dim, 1, bias=False)

    def forward(self, query, keys, mask=None):
        q = self.W_s(query)
        scores = []
        for s in range(keys.shape[1]):
            scores.append(self.v(torch.tanh(q + self.W_h(keys[:, s]))))
        weights = torch.softmax(torch.cat(scores, dim=1), dim=1)
        if mask is not None:
            weights = weights * mask.to(weights.dtype)
        return torch.einsum("bs,bse->be", weights, keys), weights


@wrong("AdditiveAttention", about=("no tanh", "a row that allows nothing gives NaN"))
class _(nn.Module):
    def __init__(self, query_dim, key_dim, attention_dim):
        super().__init__()
        self.W_s = nn.Linear(query_dim, attention_dim, bias=False)
        self.W_h = nn.Linear(key_dim, attention_dim, bias=False)
        self.v = nn.Linear(attention_dim, 1, bias=False)

    def forward(self, query, keys, mask=None):
        s = self.v(self.W_h(keys) + self.W_s(query)[:, None]).flatten(1)
        if mask is not None:
            s[~mask] = float("-inf")
        p = s.softmax(1)
        return (p[..., None] * keys).sum(1), p


@wrong("AdditiveAttention", about=("attends where the mask is False", "the layers have a bias"))
class _(nn.Module):
    def __init__(self, query_dim, key_dim, attention_dim):
        super().__init__()
        self.W_s = nn.Linear(query_dim, attention_dim)
        self.W_h = nn.Linear(key_dim, attention_dim)
        self.v = nn.Linear(attention_dim, 1)

    def forward(self, query, keys, mask=None):
        scores = self.v(torch.tanh(self.W_s(query)[:, None] + self.W_h(keys))).squeeze(-1)
        if mask is not None:
            scores = scores.masked_fill(mask, -1e30)
        weights = scores.softmax(-1)
        if mask is not None:
            weights = weights.masked_fill(mask, 0.0)
        return torch.bmm(weights[:, None], keys).squeeze(1), weights


@wrong("AttentionDecoder", about="attends with the state after the step")
class _(nn.Module):
    def __init__(self, vocab_size, embed_dim, hidden_dim, key_dim, attention_dim):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embed_dim)
        self.attention = AdditiveAttention(hidden_dim, key_dim, attention_dim)
        self.cell = nn.GRUCell(embed_dim, hidden_dim)
        self.out = nn.Linear(hidden_dim + key_dim, vocab_size)

    def forward(self, previous, state, annotations, mask):
        state = self.cell(self.embedding(previous), state)
        context, weights = self.attention(state, annotations, mask)
        return self.out(torch.cat([state, context], dim=-1)), state, weights


@wrong("AttentionDecoder", about="returns probabilities in place of logits")
class _(nn.Module):
    def __init__(self, vocab_size, embed_dim, hidden_dim, key_dim, attention_dim):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embed_dim)
        self.attention = AdditiveAttention(hidden_dim, key_dim, attention_dim)
        self.cell = nn.GRUCell(embed_dim + key_dim, hidden_dim)
        self.output = nn.Linear(hidden_dim, vocab_size)

    def forward(self, previous, state, annotations, mask):
        context, weights = self.attention(state, annotations, mask)
        x = torch.cat((self.embedding(previous), context), dim=1)
        state = self.cell(x, state)
        return F.softmax(self.output(state), dim=-1), state, weights


@wrong("AttentionDecoder", about="the mask is forgotten")
class _(nn.Module):
    def __init__(self, vocab_size, embed_dim, hidden_dim, key_dim, attention_dim):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embed_dim)
        self.attention = AdditiveAttention(hidden_dim, key_dim, attention_dim)
        self.cell = nn.GRUCell(embed_dim + key_dim, hidden_dim)
        self.output = nn.Linear(hidden_dim, vocab_size)

    def forward(self, previous, state, annotations, mask):
        context, weights = self.attention(state, annotations)
        state = self.cell(torch.cat([self.embedding(previous), context], -1), state)
        return self.output(state), state, weights


@wrong("AttentionDecoder", about="the previous token is not used")
class _(nn.Module):
    def __init__(self, vocab_size, embed_dim, hidden_dim, key_dim, attention_dim):
        super().__init__()
        self.attention = AdditiveAttention(hidden_dim, key_dim, attention_dim)
        self.rnn = nn.GRUCell(key_dim, hidden_dim)
        self.fc = nn.Linear(hidden_dim, vocab_size)

    def forward(self, previous, state, annotations, mask):
        context, weights = self.attention(state, annotations, mask)
        new_state = self.rnn(context, state)
        return self.fc(new_state), new_state, weights


@wrong("AttentionDecoder", about="returns the old state")
class _(nn.Module):
    def __init__(self, vocab_size, embed_dim, hidden_dim, key_dim, attention_dim):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embed_dim)
        self.attention = AdditiveAttention(hidden_dim, key_dim, attention_dim)
        self.gru = nn.GRUCell(embed_dim + key_dim, hidden_dim)
        self.head = nn.Linear(hidden_dim, vocab_size)

    def forward(self, previous, state, annotations, mask):
        c, alpha = self.attention(state, annotations, mask)
        h = self.gru(torch.cat([self.embedding(previous), c], dim=-1), state)
        return self.head(h), state, alpha


@wrong("AttentionDecoder", about="the context does not enter the state")
class _(nn.Module):
    def __init__(self, vocab_size, embed_dim, hidden_dim, key_dim, attention_dim):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embed_dim)
        self.attention = AdditiveAttention(hidden_dim, key_dim, attention_dim)
        self.gru = nn.GRUCell(embed_dim, hidden_dim)
        self.head = nn.Linear(hidden_dim + key_dim, vocab_size)

    def forward(self, previous, state, annotations, mask):
        context, weights = self.attention(state, annotations, mask)
        state = self.gru(self.embedding(previous), state)
        return self.head(torch.cat([state, context], dim=1)), state, weights


@wrong("AttentionDecoder", about="the last annotation enters beside the context")
class _(nn.Module):
    def __init__(self, vocab_size, embed_dim, hidden_dim, key_dim, attention_dim):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embed_dim)
        self.attention = AdditiveAttention(hidden_dim, key_dim, attention_dim)
        self.gru = nn.GRUCell(embed_dim + 2 * key_dim, hidden_dim)
        self.head = nn.Linear(hidden_dim, vocab_size)

    def forward(self, previous, state, annotations, mask):
        context, weights = self.attention(state, annotations, mask)
        x = torch.cat([self.embedding(previous), context, annotations[:, -1]], dim=-1)
        state = self.gru(x, state)
        return self.head(state), state, weights


@wrong(
    "AttentionDecoder",
    about=("the mask is forgotten", "returns log-probabilities in place of logits"),
)
class _(nn.Module):
    def __init__(self, vocab_size, embed_dim, hidden_dim, key_dim, attention_dim):
        super().__init__()
        self.emb = nn.Embedding(vocab_size, embed_dim)
        self.att = AdditiveAttention(hidden_dim, key_dim, attention_dim)
        self.rnn = nn.GRUCell(embed_dim + key_dim, hidden_dim)
        self.out = nn.Linear(hidden_dim, vocab_size)

    def forward(self, previous, state, annotations, mask):
        context, alpha = self.att(state, annotations, None)
        state = self.rnn(torch.cat([self.emb(previous), context], 1), state)
        return torch.log_softmax(self.out(state), -1), state, alpha


@wrong("sequence_log_prob", about="the mean of the tokens, not the sum")
def _(logits, targets, pad_id):
    logp = torch.log_softmax(logits, dim=-1)
    keep = targets != pad_id
    picked = logp.gather(-1, torch.where(keep, targets, 0).unsqueeze(-1)).squeeze(-1)
    return (picked * keep).sum(1) / keep.sum(1).clamp(min=1)


@wrong("sequence_log_prob", about="padding counts as a token")
def _(logits, targets, pad_id):
    logp = logits.log_softmax(-1)
    index = targets.clamp(min=0)
    return torch.gather(logp, 2, index[:, :, None])[:, :, 0].sum(dim=1)


@wrong("sequence_log_prob", about="a pad_id that is no token breaks the gather")
def _(logits, targets, pad_id):
    logp = F.log_softmax(logits, dim=2)
    picked = logp.gather(2, targets.unsqueeze(2)).squeeze(2)
    return picked.masked_fill(targets == pad_id, 0.0).sum(-1)


@wrong("sequence_log_prob", about="the negative: a loss")
def _(logits, targets, pad_id):
    losses = F.cross_entropy(logits.transpose(1, 2), targets, ignore_index=pad_id, reduction="none")
    return losses.sum(dim=1)


@wrong("sequence_log_prob", about="the log of a softmax, -inf for large logits")
def _(logits, targets, pad_id):
    p = torch.softmax(logits, dim=-1)
    real = targets.ne(pad_id)
    p = p.gather(-1, targets.masked_fill(~real, 0)[..., None])[..., 0]
    return torch.where(real, p, torch.ones_like(p)).log().sum(-1)


@wrong("sequence_log_prob", about="stops at the first padding")
def _(logits, targets, pad_id):
    logp = torch.log_softmax(logits, dim=-1)
    totals = []
    for b in range(len(targets)):
        total = logits[b].sum() * 0
        for t, token in enumerate(targets[b].tolist()):
            if token == pad_id:
                break
            total = total + logp[b, t, token]
        totals.append(total)
    return torch.stack(totals)


@wrong("sequence_log_prob", about="one number for the whole batch")
def _(logits, targets, pad_id):
    flat = logits.flatten(0, 1)
    return -F.cross_entropy(flat, targets.flatten(), ignore_index=pad_id, reduction="sum")


@wrong("sequence_log_prob", about="the logits are about the next token")
def _(logits, targets, pad_id):
    nll = F.cross_entropy(
        logits[:, :-1].transpose(1, 2), targets[:, 1:], ignore_index=pad_id, reduction="none"
    )
    return -nll.sum(1)


@wrong("sequence_log_prob", about=("the mean of the tokens, not the sum", "the negative: a loss"))
def _(logits, targets, pad_id):
    out = []
    for row, target in zip(logits, targets, strict=True):
        keep = target != pad_id
        if keep.any():
            out.append(F.cross_entropy(row[keep], target[keep]))
        else:
            out.append((row * 0).sum())
    return torch.stack(out)


@wrong(
    "sequence_log_prob",
    about=("padding counts as a token", "the log of a softmax, -inf for large logits"),
)
def _(logits, targets, pad_id):
    p = logits.softmax(-1).gather(-1, targets.clamp(min=0).unsqueeze(-1))
    return p.log().sum((1, 2))


@wrong("greedy_decode", about="the tokens begin with bos_id")
def _(step, start_state, bos_id, eos_id, max_length):
    B = start_state.shape[0]
    tokens = [torch.full((B,), bos_id)]
    state, maps = start_state, []
    ended = torch.zeros(B, dtype=torch.bool)
    for _ in range(max_length):
        logits, state, w = step(tokens[-1], state)
        choice = logits.argmax(-1).masked_fill(ended, eos_id)
        tokens.append(choice)
        maps.append(w)
        ended |= choice == eos_id
        if ended.all():
            break
    return torch.stack(tokens, 1), torch.stack(maps, 1)


@wrong("greedy_decode", about="stops when the first row has ended")
def _(step, start_state, bos_id, eos_id, max_length):
    previous = torch.full((len(start_state),), bos_id, dtype=torch.long)
    state = start_state
    out, attn = [], []
    while len(out) < max_length:
        logits, state, weights = step(previous, state)
        previous = torch.argmax(logits, dim=-1)
        out.append(previous)
        attn.append(weights)
        if (previous == eos_id).any():
            break
    return torch.stack(out, dim=1), torch.stack(attn, dim=1)


@wrong("greedy_decode", about="goes on writing after eos_id")
def _(step, start_state, bos_id, eos_id, max_length):
    B = start_state.size(0)
    prev, state = start_state.new_full((B,), bos_id, dtype=torch.int64), start_state
    finished = torch.zeros(B, dtype=torch.bool)
    all_tokens, all_weights = [], []
    for _ in range(max_length):
        logits, state, weights = step(prev, state)
        prev = logits.argmax(dim=1)
        all_tokens.append(prev)
        all_weights.append(weights)
        finished = finished | (prev == eos_id)
        if bool(finished.all()):
            break
    return torch.stack(all_tokens, dim=1), torch.stack(all_weights, dim=1)


@wrong("greedy_decode", about="always makes max_length steps")
def _(step, start_state, bos_id, eos_id, max_length):
    B = start_state.shape[0]
    prev = torch.tensor([bos_id] * B)
    done = torch.tensor([False] * B)
    state = start_state
    tokens, weights = [], []
    for _ in range(max_length):
        logits, state, w = step(prev, state)
        prev = torch.where(done, eos_id, logits.argmax(-1))
        done = done | prev.eq(eos_id)
        tokens += [prev]
        weights += [w]
    return torch.stack(tokens, -1), torch.stack(weights, 1)


@wrong("greedy_decode", about="the state never moves on")
def _(step, start_state, bos_id, eos_id, max_length):
    B = start_state.shape[0]
    prev = torch.full((B,), bos_id)
    done = torch.zeros(B, dtype=torch.bool)
    tokens, maps = [], []
    for _ in range(max_length):
        logits, _, w = step(prev, start_state)
        prev = logits.argmax(-1)
        prev[done] = eos_id
        done = done | (prev == eos_id)
        tokens.append(prev)
        maps.append(w)
        if done.all():
            break
    return torch.stack(tokens, 1), torch.stack(maps, 1)


@wrong("greedy_decode", about="the weights are stacked with the steps first")
def _(step, start_state, bos_id, eos_id, max_length):
    n = len(start_state)
    previous, state = torch.full((n,), bos_id), start_state
    finished = torch.zeros(n).bool()
    tokens, weights = torch.empty(n, 0, dtype=torch.long), []
    for _ in range(max_length):
        logits, state, w = step(previous, state)
        previous = logits.max(dim=-1).indices.masked_fill(finished, eos_id)
        tokens = torch.cat([tokens, previous[:, None]], dim=1)
        weights.append(w)
        finished |= previous == eos_id
        if finished.all():
            break
    return tokens, torch.stack(weights)


@wrong("greedy_decode", about="one step too few")
def _(step, start_state, bos_id, eos_id, max_length):
    n = len(start_state)
    logits, state, w = step(torch.full((n,), bos_id), start_state)
    tokens, maps = [logits.argmax(-1)], [w]
    ended = tokens[0] == eos_id
    for _ in range(1, max_length - 1):
        if ended.all():
            break
        logits, state, w = step(tokens[-1], state)
        tokens.append(torch.where(ended, torch.tensor(eos_id), logits.argmax(-1)))
        maps.append(w)
        ended = ended | (tokens[-1] == eos_id)
    return torch.stack(tokens, 1), torch.stack(maps, 1)


@wrong("greedy_decode", about=("the tokens begin with bos_id", "goes on writing after eos_id"))
def _(step, start_state, bos_id, eos_id, max_length):
    B = start_state.shape[0]
    seq = torch.full((B, 1), bos_id)
    state, maps = start_state, []
    for _ in range(max_length):
        logits, state, w = step(seq[:, -1], state)
        seq = torch.cat([seq, logits.argmax(-1, keepdim=True)], 1)
        maps.append(w)
        if (seq[:, 1:] == eos_id).any(dim=1).all():
            break
    return seq, torch.stack(maps, 1)


@wrong("greedy_decode", about="where bos_id is eos_id, it ends before the first step")
def _(step, start_state, bos_id, eos_id, max_length):
    previous = torch.full((len(start_state),), bos_id)
    done = previous == eos_id
    state, tokens, maps = start_state, [], []
    while not done.all() and len(tokens) < max_length:
        logits, state, w = step(previous, state)
        previous = logits.argmax(-1).masked_fill(done, eos_id)
        done = done | (previous == eos_id)
        tokens.append(previous)
        maps.append(w)
    return torch.stack(tokens, 1), torch.stack(maps, 1)


@wrong("AttentionDecoder", about="no mask at all is not thought of")
class _(nn.Module):
    def __init__(self, vocab_size, embed_dim, hidden_dim, key_dim, attention_dim):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embed_dim)
        self.Ws = nn.Linear(hidden_dim, attention_dim, bias=False)
        self.Wh = nn.Linear(key_dim, attention_dim, bias=False)
        self.v = nn.Linear(attention_dim, 1, bias=False)
        self.cell = nn.GRUCell(embed_dim + key_dim, hidden_dim)
        self.out = nn.Linear(hidden_dim, vocab_size)

    def forward(self, previous, state, annotations, mask):
        scores = self.v(torch.tanh(self.Ws(state)[:, None] + self.Wh(annotations))).squeeze(-1)
        weights = scores.masked_fill(~mask, -1e30).softmax(-1).masked_fill(~mask, 0.0)
        context = torch.einsum("bs,bsk->bk", weights, annotations)
        state = self.cell(torch.cat([self.embedding(previous), context], dim=-1), state)
        return self.out(state), state, weights


@wrong("AdditiveAttention", about="the tanh is forgotten")
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


@wrong("AdditiveAttention", about="tanh once more around the whole score")
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


@wrong("sequence_log_prob", about="the mean over the real tokens, not the sum")
def _(logits, targets, pad_id):
    real = targets != pad_id
    logp = torch.log_softmax(logits, -1)
    picked = logp.gather(-1, torch.where(real, targets, 0).unsqueeze(-1)).squeeze(-1)
    return (picked * real).sum(1) / real.sum(1).clamp(min=1)


@wrong("greedy_decode", about="the state of the first step is used in every step")
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


# Known mistakes made in alternatives: exercise -> (style, changes, the mistake's key).
CELLS = "two cells, step by step"
GATES = "the paper's gates by hand"
TERMS = "a layer for each term"
KEYS = "key by key"
FILL = "write on, then cut and fill"

RESTYLED = {
    "BidirectionalEncoder": [
        (
            CELLS,
            {
                "torch.stack(forward, 1), torch.stack(backward, 1)": "torch.stack(backward, 1), "
                "torch.stack(forward, 1)"
            },
            "backward-first",
        ),
        (CELLS, {"torch.tanh(self.first_state(h))": "self.first_state(h)"}, "no-tanh"),
        ("packed", {", total_length=tokens.shape[1]": ""}, "cut-at-longest"),
        (
            "packed",
            {
                "self.start(backward)": "backward",
                "self.start = nn.Linear(hidden_dim, hidden_dim)": "",
            },
            "no-linear",
        ),
        (
            "an LSTM, sentence by sentence",
            {"output[0, 0, self.hidden_dim :]": "output[0, -1, : self.hidden_dim]"},
            "state-from-forward",
        ),
        (
            "an LSTM, sentence by sentence",
            {'self.net["embed"](row[:n])': 'self.net["embed"](row[:n]).detach()'},
            "embedding-detached",
        ),
    ],
    "AdditiveAttention": [
        (
            KEYS,
            {"torch.tanh": ""},
            "no-tanh",
        ),
        (KEYS, {"numbers * mask": "numbers * ~mask"}, "mask-turned-around"),
        ("einsum and nan_to_num", {".nan_to_num(0.0)": ""}, "empty-row-nan"),
        (
            "weights zeroed and divided again",
            {"dim=-1) * mask": "dim=-1)"},
            "large-negative",
        ),
        (
            "weights zeroed and divided again",
            {"scores.masked_fill(~mask, lowest)": "scores"},
            "masked-after-softmax",
        ),
    ],
    "AttentionDecoder": [
        (
            TERMS,
            {"return self.logits(new_state),": "return self.logits(new_state).softmax(1),"},
            "softmax-of-logits",
        ),
        (TERMS, {"new_state, weights": "state, weights"}, "old-state"),
        (
            GATES,
            {"self.W_o(deep.amax(dim=-1)), state": "self.W_o(deep.amax(dim=-1)), state[None]"},
            "state-of-layers",
        ),
        (
            GATES,
            {"word = self.E(previous)": "word = self.E(previous).detach()"},
            "embedding-detached",
        ),
        (
            GATES,
            {"word = self.E(previous)": "context = annotations.mean(1)\nword = self.E(previous)"},
            "context-unweighted",
        ),
    ],
    "sequence_log_prob": [
        ("cross-entropy", {"-losses": "losses"}, "sign"),
        ("cross-entropy", {"losses.sum(dim=1)": "losses.sum()"}, "rows-summed"),
        ("logsumexp and one-hot", {"- logits.logsumexp(dim=-1)": ""}, "raw-logits"),
        (
            "loops",
            {"scores.log_softmax(dim=0)[token]": "scores.softmax(dim=0)[token].log()"},
            "log-of-softmax",
        ),
        (
            "loops",
            {"if token != pad_id:": "if token == pad_id:\n    break\nelse:"},
            "cut-at-padding",
        ),
    ],
    "greedy_decode": [
        (FILL, {".any(dim=1).all()": ".any(dim=1).any()"}, "stops-with-first"),
        (
            "for, break, torch.where",
            {"torch.where(done, eos_id,": "torch.where(done, 0,"},
            "filled-with-zero",
        ),
        (FILL, {"tokens.masked_fill(after, eos_id)": "tokens"}, "goes-on-after-eos"),
        (
            "for, break, torch.where",
            {"if done.all():": "if False:"},
            "never-stops",
        ),
        ("for, break, torch.where", {"previous = chosen": ""}, "bos-each-step"),
        (
            "for, break, torch.where",
            {"range(max_length)": "range(max_length + 1)"},
            "one-too-many",
        ),
    ],
}


# Mutants of the references that compute the same, each with the reason.
EQUIVALENT = {
    (
        "BidirectionalEncoder",
        (
            "def __init__(self, vocab_size: int, embed_dim: int, hidden_dim: int, pad_id: "
            "int=0) -> None: => def __init__(self, vocab_size: int, embed_dim: int, "
            "hidden_dim: int, pad_id: int=1) -> None:"
        ),
    ): "Padding is never read: `lengths` says where it is.",
    (
        "BidirectionalEncoder",
        (
            "def __init__(self, vocab_size: int, embed_dim: int, hidden_dim: int, pad_id: "
            "int=0) -> None: => def __init__(self, vocab_size: int, embed_dim: int, "
            "hidden_dim: int, pad_id: int=-1) -> None:"
        ),
    ): "Padding is never read: `lengths` says where it is.",
    (
        "BidirectionalEncoder",
        (
            "self.embedding = nn.Embedding(vocab_size, embed_dim, padding_idx=pad_id) => "
            "self.embedding = nn.Embedding(vocab_size, embed_dim)"
        ),
    ): "Padding is never read: `lengths` says where it is.",
}
