"""Chapter 3, Bahdanau: align and translate."""

import math
from collections.abc import Callable

import torch
from torch import Tensor, nn

from solutions.softmax import softmax


class BidirectionalEncoder(nn.Module):
    """Reads a sentence in both directions, and describes every token in context.

    `BidirectionalEncoder(vocab_size, embed_dim, hidden_dim, pad_id=0)` embeds the tokens and runs
    two recurrent layers (GRU, LSTM or your own) over them: one from the first token to the last,
    one from the last to the first. Row b holds lengths[b] tokens; what comes after is padding,
    filled with pad_id. The backward direction starts at the last token, not in the padding.

    `forward(tokens, lengths)` returns `(annotations, state)`:
    - the annotation of a token is the forward direction's output at that token, followed by the
      backward direction's output at the same token; at padding it is zeros;
    - the state, with which a decoder starts, is made from the backward direction's last output,
      the one at the first token, through a linear layer and tanh.
    Shapes: tokens (B, S), lengths (B), whole numbers from 1 to S in any order; annotations
    (B, S, 2 * hidden_dim), state (B, hidden_dim). S may be larger than the largest length.
    Padding changes nothing: neither its tokens nor how much there is, nor the other rows.
    Gradients reach all parameters. Inputs and earlier results are left unchanged; non-contiguous
    inputs and float64 (after `.double()`) work.
    Graded by behavior: what is inside and its names are up to you.
    Source: Bahdanau et al. 2015, section 3.2; appendix A.2.1, equation 7, and A.2.2 for the state.
    """

    def __init__(self, vocab_size: int, embed_dim: int, hidden_dim: int, pad_id: int = 0) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embed_dim, padding_idx=pad_id)
        self.forward_rnn = nn.GRU(embed_dim, hidden_dim, batch_first=True)
        self.backward_rnn = nn.GRU(embed_dim, hidden_dim, batch_first=True)
        self.start = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, tokens: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        position = torch.arange(tokens.shape[1], device=tokens.device)  # (S)
        real = position < lengths.unsqueeze(1)  # (B, S)
        # Turns every row around and leaves its padding at the end; done twice, it changes nothing.
        turned = torch.where(real, lengths.unsqueeze(1) - 1 - position, position)  # (B, S)
        forward, _ = self.forward_rnn(self.embedding(tokens))  # (B, S, hidden_dim)
        backward, _ = self.backward_rnn(self.embedding(tokens.gather(1, turned)))
        backward = backward.gather(1, turned.unsqueeze(-1).expand_as(backward))
        annotations = torch.cat([forward, backward], dim=-1).masked_fill(~real.unsqueeze(-1), 0.0)
        return annotations, torch.tanh(self.start(backward[:, 0]))


class AdditiveAttention(nn.Module):
    """Attention whose score is a small network, for vectors as rows: tanh(query W_s + key W_h) . v.

    `AdditiveAttention(query_dim, key_dim, attention_dim)` has three linear layers of these names,
    all `nn.Linear` with bias=False: `W_s`, from query_dim to attention_dim, `W_h`, from key_dim to
    attention_dim, and `v`, from attention_dim to 1.

    `forward(query, keys, mask=None)` returns `(context, weights)`: softmax turns the
    scores into weights, and the context is the sum of the keys, each times its weight.
    Shapes: query (B, query_dim), keys (B, S, key_dim); context (B, key_dim), weights (B, S), which
    sum to one over the keys.
    `mask` is boolean (B, S), True where a key may be attended to; None allows all. A key that is
    masked has a weight of exactly zero. Where a row allows nothing, its context and weights are
    zeros, never NaN.
    Gradients reach query, keys and all parameters and are finite, where nothing is allowed too.
    Inputs and earlier results are left unchanged; non-contiguous inputs and float64 work.
    Anything else inside the class is up to you.
    Source: Bahdanau et al. 2015, equations 5 and 6; appendix A.1.2 (there W_a and U_a for W_s and
    W_h).
    """

    def __init__(self, query_dim: int, key_dim: int, attention_dim: int) -> None:
        super().__init__()
        self.W_s = nn.Linear(query_dim, attention_dim, bias=False)
        self.W_h = nn.Linear(key_dim, attention_dim, bias=False)
        self.v = nn.Linear(attention_dim, 1, bias=False)

    def forward(
        self, query: Tensor, keys: Tensor, mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        joint = torch.tanh(self.W_s(query).unsqueeze(1) + self.W_h(keys))  # (B, S, attention_dim)
        scores = self.v(joint).squeeze(-1)  # (B, S)
        if mask is not None:
            scores = scores.masked_fill(~mask, -math.inf)
        weights = softmax(scores)  # (B, S), zeros where all scores are -inf
        context = (weights.unsqueeze(1) @ keys).squeeze(1)  # (B, key_dim), summed over S
        return context, weights


class AttentionDecoder(nn.Module):
    """One step of translating: look at the source, take in the last token, say what comes next.

    `AttentionDecoder(vocab_size, embed_dim, hidden_dim, key_dim, attention_dim)` has an embedding
    of its tokens, an additive attention, a recurrent cell (GRU or your own) and an output layer.

    `forward(previous, state, annotations, mask)` returns `(logits, state, weights)`:
    - the query of the attention is the state *before* the step, and the weights are over the
      annotations; the context is the sum of the annotations, each times its weight;
    - the new state is made from the old one, the previous token and the context;
    - the logits are a score for each token of the vocabulary, before any softmax, made from the new
      state (and, if you like, the context and the previous token).
    The annotations enter through the context alone: in another order they give the same logits.
    Shapes: previous (B), whole numbers; state (B, hidden_dim); annotations (B, S, key_dim); mask
    (B, S), boolean, True where an annotation may be attended to, or None, which allows all; logits
    (B, vocab_size), weights (B, S), which sum to one. What is masked has a weight of zero and
    changes nothing. Where a row allows nothing, its weights and context are zeros, never NaN.
    Gradients reach state, annotations and all parameters and are finite. Inputs and earlier results
    are left unchanged; non-contiguous inputs and float64 (after `.double()`) work.
    Graded by behavior: what is inside and its names are up to you.
    Source: Bahdanau et al. 2015, section 3.1, equations 4 to 6; appendix A.2.2.
    """

    def __init__(
        self, vocab_size: int, embed_dim: int, hidden_dim: int, key_dim: int, attention_dim: int
    ) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embed_dim)
        self.attention = AdditiveAttention(hidden_dim, key_dim, attention_dim)
        self.rnn = nn.GRUCell(embed_dim + key_dim, hidden_dim)
        self.output = nn.Linear(hidden_dim + key_dim + embed_dim, vocab_size)

    def forward(
        self, previous: Tensor, state: Tensor, annotations: Tensor, mask: Tensor | None
    ) -> tuple[Tensor, Tensor, Tensor]:
        context, weights = self.attention(state, annotations, mask)  # (B, key_dim), (B, S)
        embedded = self.embedding(previous)  # (B, embed_dim)
        state = self.rnn(torch.cat([embedded, context], dim=-1), state)  # (B, hidden_dim)
        logits = self.output(torch.cat([state, context, embedded], dim=-1))  # (B, vocab_size)
        return logits, state, weights


def sequence_log_prob(logits: Tensor, targets: Tensor, pad_id: int) -> Tensor:
    """How likely a model finds each sequence: the sum of the log-probabilities of its tokens.

    The probability of a sequence is the product of the conditional probabilities of its tokens, and
    the logarithm of a product is a sum. logits[b, t] are about targets[b, t].

    Shapes: logits (B, L, V), targets (B, L), whole numbers from 0 to V - 1, or pad_id; returns (B).
    Padding does not count, wherever it is; `pad_id` may be a token of the vocabulary or a number
    that is none, such as -100. A row that is all padding gives 0, with a gradient of zeros.
    Logits may be as large as 1e4: the result is finite.
    Gradients reach `logits` and are finite. Inputs and earlier results are left unchanged;
    non-contiguous inputs and float64 work. `log_softmax` and `F.cross_entropy` are allowed.
    Source: Bahdanau et al. 2015, equation 2, each factor as in equation 4.
    """
    real = targets != pad_id  # (B, L)
    log_probs = logits.log_softmax(dim=-1)  # (B, L, V)
    chosen = (targets * real).unsqueeze(-1)  # (B, L, 1), token 0 in place of padding
    picked = log_probs.gather(-1, chosen).squeeze(-1)  # (B, L)
    return picked.masked_fill(~real, 0.0).sum(dim=-1)  # (B)


def greedy_decode(
    step: Callable[[Tensor, Tensor], tuple[Tensor, Tensor, Tensor]],
    start_state: Tensor,
    bos_id: int,
    eos_id: int,
    max_length: int,
) -> tuple[Tensor, Tensor]:
    """Write a sequence token by token, and take the likeliest token every time.

    `step(previous, state)` returns `(logits, state, weights)`: given the previous tokens (B) and
    the state, scores (B, V) for the next tokens, the next state, and attention weights (B, S). The
    first previous tokens are bos_id, the first state is start_state; then each step gets what the
    step before it chose and returned.

    Shapes: start_state (B, ...); returns tokens (B, T), int64, and the weights (B, T, S) of all
    steps. Tokens begin after bos_id and include eos_id; after its eos_id a row is filled with
    eos_id, and its weights from there on may be anything. It stops as soon as every row has ended,
    and at max_length (at least 1) in any case: T is the number of steps made.
    Inputs and earlier results are left unchanged. Gradients are not looked at: this is for a model
    that has already been trained.
    Source: Sutskever et al. 2014, Sequence to Sequence Learning, section 3.2, with a beam of 1.
    """
    previous = start_state.new_full((len(start_state),), bos_id, dtype=torch.long)  # (B)
    ended = torch.zeros_like(previous, dtype=torch.bool)  # (B)
    state, tokens, weights = start_state, [], []
    while len(tokens) < max_length and not ended.all():
        logits, state, attended = step(previous, state)  # (B, V), (B, ...), (B, S)
        previous = logits.argmax(dim=-1).masked_fill(ended, eos_id)  # (B)
        ended = previous == eos_id  # what has ended once is filled, and so stays ended
        tokens.append(previous)
        weights.append(attended)
    return torch.stack(tokens, dim=1), torch.stack(weights, dim=1)  # (B, T), (B, T, S)
