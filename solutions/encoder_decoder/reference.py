"""Chapter 11, the full Transformer: cross-attention, training, and search."""

import math
from collections.abc import Callable

import torch
from torch import Tensor, nn

from solutions.attention_layer import scaled_dot_product_attention
from solutions.masked import causal_mask
from solutions.multi_head import MultiHeadAttention, merge_heads, split_heads
from solutions.positions import sinusoidal_positions
from solutions.transformer_block import Encoder, FeedForward, LayerNorm


class CrossAttention(nn.Module):
    """Multi-head attention from one sequence to another: the decoder asks, the encoder answers.

    `CrossAttention(embed_dim, num_heads)` has the parameters `W_q`, `W_k`, `W_v` and `W_o`, each an
    `nn.Linear(embed_dim, embed_dim)` with its bias, used as in chapter 7's `MultiHeadAttention`.
    Queries are made from `x`, keys and values from `memory`, which is what the encoder returned.

    `forward(x, memory, memory_mask=None)` returns `(output, weights)`.
    Shapes: x (B, L, E), memory (B, S, E); output (B, L, E), weights (B, H, L, S).
    `memory_mask` is boolean (B, S), True where the memory may be attended to, the same for all
    queries of a sentence; None allows all. Where it allows nothing, weights and heads are zeros and
    the output is the bias of `W_o`: never NaN. There is no causal mask here.
    Gradients reach x, memory and all parameters and are finite, where nothing is allowed too.
    Inputs and earlier results are left unchanged; non-contiguous inputs and float64 work.
    Source: Vaswani et al. 2017, section 3.2.3 (encoder-decoder attention).
    """

    def __init__(self, embed_dim: int, num_heads: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.W_q = nn.Linear(embed_dim, embed_dim)
        self.W_k = nn.Linear(embed_dim, embed_dim)
        self.W_v = nn.Linear(embed_dim, embed_dim)
        self.W_o = nn.Linear(embed_dim, embed_dim)

    def forward(
        self, x: Tensor, memory: Tensor, memory_mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        query = split_heads(self.W_q(x), self.num_heads)  # (B, H, L, D)
        key = split_heads(self.W_k(memory), self.num_heads)  # (B, H, S, D)
        value = split_heads(self.W_v(memory), self.num_heads)  # (B, H, S, D)
        mask = None if memory_mask is None else memory_mask[:, None, None, :]  # (B, 1, 1, S)
        heads, weights = scaled_dot_product_attention(query, key, value, mask)
        return self.W_o(merge_heads(heads)), weights  # (B, L, E), (B, H, L, S)


class DecoderBlock(nn.Module):
    """One layer of a Transformer's decoder: look back, look at the source, think.

    `DecoderBlock(embed_dim, num_heads, hidden_dim, dropout=0.0, norm_first=False)` has `self_attn`
    (chapter 7's `MultiHeadAttention`), `multihead_attn` (a `CrossAttention`), `feed_forward`
    (chapter 9's `FeedForward`, relu), and `norm1`, `norm2`, `norm3` (chapter 9's `LayerNorm`; eps
    is 1e-5), one for each of the three, in this order.
    Post-norm (norm_first=False): each of the three gets x, and x = norm(x + what it returns).
    Pre-norm (norm_first=True): each gets norm(x), and x = x + what it returns.
    The self-attention is causal: position i attends to positions 0 to i. The cross-attention is
    not, and its memory is used as it comes, without a norm.
    In training, dropout with probability `dropout` is applied to what each of the three returns,
    before it is added to x, and nowhere else: not inside the three, and not on the weights,
    which are returned as they were used. In evaluation mode there is none.

    `forward(x, memory, memory_mask=None)` returns `(output, cross_weights)`: the weights are those
    of the cross-attention.
    Shapes: x (B, L, E), memory (B, S, E), memory_mask boolean (B, S), True where the memory may be
    attended to; output (B, L, E), cross_weights (B, H, L, S).
    Equals torch's nn.TransformerDecoderLayer when given its weights and a causal mask. Gradients
    reach x, memory and all parameters and are finite, where memory_mask allows nothing too. Inputs
    and earlier results are left unchanged; non-contiguous inputs and float64 work.
    Not: nn.TransformerDecoderLayer.
    Source: Vaswani et al. 2017, sections 3.1, 3.2.3 and 5.4.
    """

    def __init__(
        self,
        embed_dim: int,
        num_heads: int,
        hidden_dim: int,
        dropout: float = 0.0,
        norm_first: bool = False,
    ) -> None:
        super().__init__()
        self.norm_first = norm_first
        self.self_attn = MultiHeadAttention(embed_dim, num_heads)
        self.multihead_attn = CrossAttention(embed_dim, num_heads)
        self.feed_forward = FeedForward(embed_dim, hidden_dim)
        self.norm1 = LayerNorm(embed_dim)
        self.norm2 = LayerNorm(embed_dim)
        self.norm3 = LayerNorm(embed_dim)
        self.dropout = nn.Dropout(dropout)

    def forward(
        self, x: Tensor, memory: Tensor, memory_mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        mask = causal_mask(x.shape[1]).to(x.device)  # (L, L)
        seen = self.norm1(x) if self.norm_first else x  # (B, L, E), what self-attention gets
        attended, _ = self.self_attn(seen, seen, seen, mask)  # (B, L, E)
        x = x + self.dropout(attended)
        if not self.norm_first:
            x = self.norm1(x)
        seen = self.norm2(x) if self.norm_first else x  # (B, L, E), what makes the queries
        attended, cross_weights = self.multihead_attn(seen, memory, memory_mask)  # (B, H, L, S)
        x = x + self.dropout(attended)
        if not self.norm_first:
            x = self.norm2(x)
        seen = self.norm3(x) if self.norm_first else x  # (B, L, E), what feed-forward gets
        x = x + self.dropout(self.feed_forward(seen))
        if not self.norm_first:
            x = self.norm3(x)
        return x, cross_weights


class Transformer(nn.Module):
    """The whole model of 2017: from source tokens and the target so far to logits for what follows.

    `Transformer(source_vocab, target_vocab, embed_dim, num_heads, hidden_dim, num_layers,
    max_length, pad_id=0)` has `source_embedding` and `target_embedding`, an `nn.Embedding` each;
    `encoder`, chapter 9's `Encoder` with num_layers layers; `decoder`, an `nn.ModuleList` of
    num_layers `DecoderBlock`s, one after another; and `output`, an
    `nn.Linear(embed_dim, target_vocab)`. All layers are post-norm, with relu, without dropout, and
    there is no norm after the last one.

    `forward(source, target)`: both sides are embedded, times sqrt(embed_dim), and then chapter 6's
    sinusoidal positions are added, from position 0. The encoder makes the memory of the source;
    every decoder layer attends to it. Where source is pad_id nothing attends to it, neither in the
    encoder nor from the decoder. The target has no padding mask: it is causal, no position sees a
    later one. The caller gives the target already shifted, beginning with the start token: logits
    at position t are for the token that follows target[t].
    Shapes: source (B, S), target (B, L), whole numbers; returns logits (B, L, target_vocab), no
    probabilities. S and L are at most max_length.
    Raises ValueError if the source or the target is longer than max_length; the message names that
    length and max_length.
    A source of padding alone gives finite logits. Gradients reach all parameters and are finite.
    The values that weights have before any training are free. Inputs and earlier results are left
    unchanged; in float64 the logits are float64.
    Source: Vaswani et al. 2017, figure 1 and sections 3.1 to 3.5.
    """

    def __init__(
        self,
        source_vocab: int,
        target_vocab: int,
        embed_dim: int,
        num_heads: int,
        hidden_dim: int,
        num_layers: int,
        max_length: int,
        pad_id: int = 0,
    ) -> None:
        super().__init__()
        self.max_length, self.pad_id = max_length, pad_id
        self.source_embedding = nn.Embedding(source_vocab, embed_dim)
        self.target_embedding = nn.Embedding(target_vocab, embed_dim)
        self.encoder = Encoder(num_layers, embed_dim, num_heads, hidden_dim)
        self.decoder = nn.ModuleList(
            DecoderBlock(embed_dim, num_heads, hidden_dim) for _ in range(num_layers)
        )
        self.output = nn.Linear(embed_dim, target_vocab)

    def forward(self, source: Tensor, target: Tensor) -> Tensor:
        S, L = source.shape[1], target.shape[1]
        if max(S, L) > self.max_length:
            raise ValueError(
                f"Transformer: a sequence of {max(S, L)} tokens is longer than max_length "
                f"{self.max_length}"
            )
        memory = self.source_embedding(source)  # (B, S, E)
        E = memory.shape[2]
        memory = memory * math.sqrt(E) + sinusoidal_positions(S, E).to(memory)
        x = self.target_embedding(target)  # (B, L, E)
        x = x * math.sqrt(E) + sinusoidal_positions(L, E).to(x)

        real = source != self.pad_id  # (B, S)
        memory, _ = self.encoder(memory, real[:, None, None, :])  # (B, S, E)
        for layer in self.decoder:
            x, _ = layer(x, memory, real)  # (B, L, E)
        return self.output(x)  # (B, L, target_vocab)


def label_smoothed_loss(
    logits: Tensor, targets: Tensor, smoothing: float = 0.1, pad_id: int = 0
) -> Tensor:
    """Cross-entropy with a target that is not quite sure: a little probability for every token.

    The target distribution has 1 - smoothing on the right token, and smoothing shared equally by
    all V tokens, the right one and pad_id's included. The loss at a position is the cross-entropy
    of that distribution and the softmax of the logits, in nats. The result is the mean over all
    positions whose target is not pad_id; the others count neither in the sum nor in the number.

    Shapes: logits (..., V), targets (...), whole numbers; returns a scalar. pad_id may be no token
    at all (-100). If every target is pad_id, the loss is 0 with a zero gradient, never NaN.
    Equals torch's cross_entropy(label_smoothing=smoothing, ignore_index=pad_id) where that is
    defined. Gradients reach `logits` and are finite, for logits of 1e4 too. Inputs and earlier
    results are left unchanged; non-contiguous inputs and float64 work.
    Not: F.cross_entropy, nn.CrossEntropyLoss.
    Source: Szegedy et al. 2016, section 7; Vaswani et al. 2017, section 5.4.
    """
    real = targets != pad_id  # (...)
    log_probs = torch.log_softmax(logits[real], dim=-1)  # (n, V), the n real targets
    right = log_probs.gather(-1, targets[real].unsqueeze(-1))  # (n, 1)
    losses = (smoothing - 1) * right.sum() - smoothing * log_probs.mean(dim=-1).sum()
    return losses / real.sum().clamp(min=1)


def warmup_rate(step: int, embed_dim: int, warmup_steps: int = 4000) -> float:
    """The learning rate of the 2017 paper: up in a straight line, then down with 1 / sqrt(step).

    embed_dim^-0.5 * min(step^-0.5, step * warmup_steps^-1.5). The two meet at warmup_steps, where
    the rate is largest. Steps are numbered from 1: the first update of the
    weights is step 1.

    Returns a float. Raises ValueError if step is less than 1.
    Source: Vaswani et al. 2017, section 5.3, equation 3.
    """
    if step < 1:
        raise ValueError(f"warmup_rate: step is {step}, wanted 1 or more: steps count from 1")
    return embed_dim**-0.5 * min(step**-0.5, step * warmup_steps**-1.5)


def beam_search(
    step: Callable[[Tensor], Tensor],
    bos_id: int,
    eos_id: int,
    beam_width: int,
    max_length: int,
    length_penalty: float = 0.0,
) -> tuple[Tensor, float]:
    """The most probable sequence that can be found by keeping `beam_width` of them at a time.

    `step(prefixes)` takes a batch of unfinished sequences (n, t), int64, each beginning with
    bos_id, and returns logits (n, V) for the token that follows each; their log-softmax is taken
    here. A hypothesis is a sequence of tokens with the sum of its tokens' log-probabilities; it is
    finished when it ends with eos_id, and is not extended then. bos_id is not one of its tokens,
    and ends nothing, even if it equals eos_id.
    The beam begins with the empty hypothesis. In every round each unfinished hypothesis of the beam
    is extended by each of the V tokens; among these and the finished ones, which keep their places
    as long as they are good enough, the beam_width with the largest log-probabilities form the new
    beam. The search ends when all in the beam are finished, or after max_length rounds.
    The result is the hypothesis of the last beam, finished or not, with the largest
    log-probability / ((5 + length) / 6) ** length_penalty, where length counts its tokens with
    eos_id and without bos_id. The penalty decides that choice alone, and never who stays in the
    beam.

    Returns (tokens, log_prob): tokens (n), int64, without bos_id, with eos_id if it came, n at most
    max_length; log_prob a float, the sum of log-probabilities without any penalty.
    beam_width and max_length are at least 1. Width 1 is greedy decoding; a beam that is wide enough
    for all sequences finds the best. Which of two that tie exactly comes first is free.
    Source: Wu et al. 2016, Google's Neural Machine Translation System, section 7, equation 14
    (length penalty); Sutskever et al. 2014, section 3.2.
    """
    beam: list[tuple[list[int], float]] = [([], 0.0)]  # tokens so far, their log-probability
    for _ in range(max_length):
        unfinished = [(tokens, total) for tokens, total in beam if eos_id not in tokens]
        if not unfinished:
            break
        prefixes = torch.tensor([[bos_id, *tokens] for tokens, _ in unfinished])  # (n, t)
        log_probs = torch.log_softmax(step(prefixes), dim=-1).tolist()  # n lists of V numbers
        candidates = [(tokens, total) for tokens, total in beam if eos_id in tokens]
        for (tokens, total), row in zip(unfinished, log_probs, strict=True):
            candidates += [([*tokens, token], total + more) for token, more in enumerate(row)]
        candidates.sort(key=lambda one: one[1], reverse=True)
        beam = candidates[:beam_width]
    tokens, log_prob = max(beam, key=lambda one: one[1] / ((5 + len(one[0])) / 6) ** length_penalty)
    return torch.tensor(tokens), log_prob
