"""Chapter 13, a real encoder: published weights in the course's own encoder."""

import math

import torch
from torch import Tensor, nn

from solutions.multi_head import split_heads
from solutions.softmax import softmax
from solutions.transformer_block import Encoder, LayerNorm


class SentenceEncoder(nn.Module):
    """The published sentence encoder around chapter 9's `Encoder`: tokens in, one vector for each.

    Tokens, their positions and their segment (0 for all) are embedded, added up and normalized;
    then comes the encoder, post-norm, with gelu. Sizes as published for all-MiniLM-L6-v2, whose
    normalizations have an eps of 1e-12. `pooler` belongs to the published weights too; sentence
    embeddings make no use of it.

    Shapes: `forward(tokens, mask)` takes whole numbers (B, L) and a boolean mask (B, L), True where
    a token is real; returns (B, L, embed_dim). `all_layers(tokens, mask)` returns the embeddings,
    each layer's output, and each layer's weights (B, H, L, L), as two lists.
    Source: Devlin et al. 2019, section 3 and figure 2; Wang et al. 2020, MiniLM, section 4.1.
    """

    def __init__(
        self,
        vocab_size: int = 30522,
        embed_dim: int = 384,
        num_heads: int = 12,
        hidden_dim: int = 1536,
        num_layers: int = 6,
        max_length: int = 512,
    ) -> None:
        super().__init__()
        self.token_embedding = nn.Embedding(vocab_size, embed_dim)
        self.position_embedding = nn.Embedding(max_length, embed_dim)
        self.segment_embedding = nn.Embedding(2, embed_dim)
        self.embedding_norm = LayerNorm(embed_dim, eps=1e-12)
        self.encoder = Encoder(num_layers, embed_dim, num_heads, hidden_dim, activation="gelu")
        self.pooler = nn.Linear(embed_dim, embed_dim)
        self.register_buffer("position_ids", torch.arange(max_length).unsqueeze(0))

    def forward(self, tokens: Tensor, mask: Tensor) -> Tensor:
        return self.all_layers(tokens, mask)[0][-1]  # (B, L, E)

    def all_layers(self, tokens: Tensor, mask: Tensor) -> tuple[list[Tensor], list[Tensor]]:
        positions = self.position_ids[:, : tokens.shape[1]]  # (1, L)
        x = self.token_embedding(tokens) + self.position_embedding(positions)  # (B, L, E)
        x = self.embedding_norm(x + self.segment_embedding.weight[0])
        states, all_weights = [x], []
        for layer in self.encoder.layers:
            x, weights = layer(x, mask[:, None, None, :])  # (B, L, E), (B, H, L, L)
            states.append(x)
            all_weights.append(weights)
        return states, all_weights


def convert_weights(state_dict: dict[str, Tensor]) -> dict[str, Tensor]:
    """Published weights under this course's names, so that `load_state_dict` takes them all.

    `state_dict` is what the published `model.safetensors` holds; the result has the names of this
    chapter's `SentenceEncoder`:

        embeddings.word_embeddings.weight          token_embedding.weight
        embeddings.position_embeddings.weight      position_embedding.weight
        embeddings.token_type_embeddings.weight    segment_embedding.weight
        embeddings.LayerNorm.*                     embedding_norm.*
        embeddings.position_ids                    position_ids
        encoder.layer.N.attention.self.query.*     encoder.layers.N.self_attn.W_q.*
        encoder.layer.N.attention.self.key.*       encoder.layers.N.self_attn.W_k.*
        encoder.layer.N.attention.self.value.*     encoder.layers.N.self_attn.W_v.*
        encoder.layer.N.attention.output.dense.*   encoder.layers.N.self_attn.W_o.*
        encoder.layer.N.attention.output.LayerNorm.*   encoder.layers.N.norm1.*
        encoder.layer.N.intermediate.dense.*       encoder.layers.N.feed_forward.linear1.*
        encoder.layer.N.output.dense.*             encoder.layers.N.feed_forward.linear2.*
        encoder.layer.N.output.LayerNorm.*         encoder.layers.N.norm2.*
        pooler.dense.*                             pooler.*

    where * is `weight` or `bias` and N any number of a layer, even of two digits. Every tensor is
    used exactly once, unchanged: the published layers are `nn.Linear`s too, so nothing is
    transposed, and dtypes stay. `embeddings.position_ids` may be missing, as it is from newer
    files. `state_dict` itself is left unchanged; the result may share its tensors.
    Source: the model card and files of sentence-transformers/all-MiniLM-L6-v2, revision of 2021.
    """
    renames = {  # the longer names first, as the shorter ones are parts of them
        "embeddings.word_embeddings": "token_embedding",
        "embeddings.position_embeddings": "position_embedding",
        "embeddings.token_type_embeddings": "segment_embedding",
        "embeddings.LayerNorm": "embedding_norm",
        "embeddings.position_ids": "position_ids",
        "encoder.layer.": "encoder.layers.",
        "attention.self.query": "self_attn.W_q",
        "attention.self.key": "self_attn.W_k",
        "attention.self.value": "self_attn.W_v",
        "attention.output.dense": "self_attn.W_o",
        "attention.output.LayerNorm": "norm1",
        "intermediate.dense": "feed_forward.linear1",
        "output.dense": "feed_forward.linear2",
        "output.LayerNorm": "norm2",
        "pooler.dense": "pooler",
    }
    converted = {}
    for name, tensor in state_dict.items():
        for published, ours in renames.items():
            name = name.replace(published, ours)
        converted[name] = tensor
    return converted


def mean_pool(hidden: Tensor, mask: Tensor) -> Tensor:
    """One vector for each sentence: the mean of its real tokens' vectors, scaled to unit length.

    Shapes: hidden (B, L, E), mask (B, L), boolean or numbers 0 and 1, True or 1 where a token is
    real; returns (B, E) in hidden's dtype. Padding does not count. Every row has length 1, but for
    a row of padding alone, which gives zeros, never NaN.
    Gradients reach `hidden` and are finite, for a row of padding alone too; none is needed to a
    mask of numbers. Inputs and earlier results are left unchanged; non-contiguous inputs and
    float64 work.
    Source: Reimers and Gurevych 2019, Sentence-BERT, section 3 (MEAN pooling).
    """
    real = mask.bool().unsqueeze(-1)  # (B, L, 1)
    total = hidden.masked_fill(~real, 0.0).sum(dim=1)  # (B, E): the mean, times a number
    return nn.functional.normalize(total, dim=-1)  # which takes that number away


def contrastive_loss(anchors: Tensor, positives: Tensor, temperature: float = 0.05) -> Tensor:
    """How hard it is for each anchor to find its own positive in the batch: cross-entropy, in nats.

    Row i of `positives` belongs to row i of `anchors`, and to no other. Each anchor scores every
    positive by their cosine over the temperature, and should choose the one in its own row: the
    result is the mean cross-entropy over the anchors. Anchors choose among positives; positives
    choose nothing.

    Shapes: anchors and positives (B, E), B at least 1; returns a scalar, 0 for a single pair.
    The lengths of the vectors, from 1e-6 to 1e6, make no difference. A vector of zeros has a cosine
    of 0 to all. The temperature may be as small as 1e-4.
    Gradients reach `anchors` and `positives` and are finite, for a vector of zeros too. Inputs and
    earlier results are left unchanged; non-contiguous inputs and float64 work. `F.cross_entropy` is
    allowed.
    Source: van den Oord et al. 2018, Representation Learning with Contrastive Predictive Coding,
    equation 4.
    """
    anchors = nn.functional.normalize(anchors, dim=-1)  # (B, E), of length one
    positives = nn.functional.normalize(positives, dim=-1)  # (B, E)
    scores = anchors @ positives.T / temperature  # (B, B): anchors by positives
    own = torch.arange(len(scores), device=scores.device)  # (B): the answer of row i is i
    return nn.functional.cross_entropy(scores, own)


def embed(sentences: list[str], model: nn.Module, tokenizer: object) -> Tensor:
    """The published model's sentence embeddings, from the course's own encoder.

    `tokenizer` is the published one, of the package `tokenizers`, or an object like it:
    `tokenizer.encode_batch(sentences)` returns for each sentence an encoding with `.ids`, a list of
    whole numbers, and `.attention_mask`, a list of as many ones (real) and zeros (padding).
    Encodings may differ in length: shorter ones are to be padded with id 0, mask 0. The tokenizer
    cuts long sentences itself.
    `model` is this chapter's `SentenceEncoder` with published weights, or an object like it:
    `model(tokens, mask)` takes int64 (B, L) and a boolean mask (B, L), True where a token is real,
    and returns (B, L, E).

    Returns (B, E): the `mean_pool` of what the model returns, a row of unit length for each
    sentence, in their order. E is 384 for the published model, whose embeddings these match to a
    cosine over 0.9999. There is at least one sentence. No gradient is needed.
    Source: the model card of sentence-transformers/all-MiniLM-L6-v2 (Usage).
    """
    encodings = tokenizer.encode_batch(sentences)
    ids = [torch.tensor(encoding.ids) for encoding in encodings]  # B times (at most L)
    real = [torch.tensor(encoding.attention_mask) for encoding in encodings]
    tokens = nn.utils.rnn.pad_sequence(ids, batch_first=True)  # (B, L), with zeros
    mask = nn.utils.rnn.pad_sequence(real, batch_first=True).bool()  # (B, L)
    with torch.no_grad():
        return mean_pool(model(tokens, mask), mask)  # (B, E)


def attention_row(
    model: nn.Module, tokens: Tensor, layer: int, head: int, asking: int
) -> tuple[Tensor, Tensor, Tensor]:
    """One row of attention taken apart: what one head of one layer does at one position.

    `model` is this chapter's `SentenceEncoder`, or an object like it.
    `model.all_layers(tokens, mask)` takes int64 (B, L) and a boolean mask (B, L), True where a
    token is real, and returns two lists: the embeddings and then each layer's output, (B, L, E)
    each; and each layer's weights. `model.encoder.layers[n].self_attn` has `W_q`, `W_k` and `W_v`,
    each an `nn.Linear`, and `num_heads`, and uses them as chapter 7's `MultiHeadAttention` does.
    Normalization comes after the attention, so the three matrices get a layer's input as it is.

    Returns `(scores, weights, output)`: the dot products of the query of position `asking` with the
    keys of all positions, not divided; the weights that the position gives to them, with the scores
    over sqrt(D); and what the head passes on there, the values weighted and added up, before `W_o`.
    Layers, heads and positions are numbered from 0.

    Shapes: tokens (L), int64, one sentence without padding; scores and weights (L), output (D) with
    D = E / num_heads.
    `tokens` is left unchanged. No gradient is needed.
    Source: Vaswani et al. 2017, sections 3.2.1 and 3.2.2.
    """
    real = torch.ones_like(tokens, dtype=torch.bool)  # (L)
    with torch.no_grad():
        states, _ = model.all_layers(tokens[None], real[None])
        x = states[layer]  # (1, L, E), what the layer gets: the output of the one below it
        attention = model.encoder.layers[layer].self_attn
        query, key, value = (
            split_heads(project(x), attention.num_heads)[0, head]  # (L, D) each
            for project in (attention.W_q, attention.W_k, attention.W_v)
        )
        scores = key @ query[asking]  # (L, D) @ (D) -> (L)
        weights = softmax(scores / math.sqrt(key.shape[-1]))  # (L)
        return scores, weights, weights @ value  # (L) @ (L, D) -> (D)
