"""Of `solutions/bahdanau.py`."""

import torch
from torch import nn

from solutions.masked import masked_softmax
from tests.exercises.variants import variant


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
