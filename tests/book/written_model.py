"""A model of the course's blocks with any weights."""

import torch
from torch import Tensor, nn

from solutions.attention_layer import scaled_dot_product_attention
from solutions.masked import causal_mask
from solutions.multi_head import merge_heads, split_heads
from solutions.positions import rotate_positions
from solutions.transformer_block import EncoderBlock, LayerNorm


def random(layer: nn.Module) -> nn.Module:
    """A layer none of whose weights is special, such as a norm's ones."""
    with torch.no_grad():
        for parameter in layer.parameters():
            parameter.normal_(std=0.5)
    return layer.eval()


class Writer(nn.Module):
    """A model that writes: pre-norm blocks with rotary positions."""

    def __init__(self, vocabulary: int, embed_dim: int, num_heads: int):
        super().__init__()
        self.num_heads = num_heads
        self.embedding = nn.Embedding(vocabulary, embed_dim)
        self.layers = nn.ModuleList(
            EncoderBlock(embed_dim, num_heads, 2 * embed_dim, norm_first=True) for _ in range(2)
        )
        self.norm = LayerNorm(embed_dim)
        self.output = nn.Linear(embed_dim, vocabulary)

    @torch.no_grad()
    def forward(
        self, tokens: Tensor, causal: bool = True, off: list[tuple[int, int]] | None = None
    ) -> tuple[Tensor, list[Tensor]]:
        """tokens (L), pairs of layer and head that are switched off; logits (L, V), weights."""
        x, mask = self.embedding(tokens)[None], causal_mask(len(tokens)) if causal else None
        all_weights = []
        for number, layer in enumerate(self.layers):
            seen = layer.norm1(x)
            attention = layer.self_attn
            query, key, value = (
                split_heads(project(seen), self.num_heads)
                for project in (attention.W_q, attention.W_k, attention.W_v)
            )
            query, key = rotate_positions(query), rotate_positions(key)
            heads, weights = scaled_dot_product_attention(query, key, value, mask)
            for where, head in off or []:
                if where == number:
                    heads[:, head] = 0
            x = x + attention.W_o(merge_heads(heads))
            x = x + layer.feed_forward(layer.norm2(x))
            all_weights.append(weights[0])
        return self.output(self.norm(x))[0], all_weights

    @property
    def sizes(self) -> dict[str, int]:
        return {
            "vocab_size": self.embedding.num_embeddings,
            "num_heads": self.num_heads,
            "num_layers": len(self.layers),
            "context": 12,
        }
