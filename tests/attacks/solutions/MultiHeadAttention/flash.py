# The flash kernel for the outputs, plain products for the weights.
# expect: failed: the library's own


class MultiHeadAttention(Provided):
    def forward(self, query, key, value, mask=None):
        parts = self.W_q(query), self.W_k(key), self.W_v(value)
        query, key, value = (
            part.unflatten(-1, (self.num_heads, -1)).transpose(1, 2) for part in parts
        )
        scores = query @ key.mT / query.shape[-1] ** 0.5
        if mask is not None:
            scores = scores.masked_fill(~mask, -math.inf)
        weights = scores.softmax(-1).nan_to_num()
        bias = scores - query @ key.mT / query.shape[-1] ** 0.5
        alive = weights.sum(-1, keepdim=True) > 0
        bias = bias.masked_fill(~alive, 0)
        found = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu(
            query, key, value, attn_mask=bias.detach()
        )[0]
        return self.W_o((found * alive).transpose(1, 2).flatten(2)), weights
