# The operation that torch's attention falls back to, whose name is not the forbidden one.
# expect: failed: the library's own


class MultiHeadAttention(Provided):
    def forward(self, query, key, value, mask=None):
        parts = self.W_q(query), self.W_k(key), self.W_v(value)
        query, key, value = (
            part.unflatten(-1, (self.num_heads, -1)).transpose(1, 2) for part in parts
        )
        B, H, L, S = *query.shape[:3], key.shape[2]
        mask = torch.ones(L, S, dtype=torch.bool) if mask is None else mask
        alive = mask.any(-1, keepdim=True)
        bias = torch.zeros(mask.shape, dtype=query.dtype).masked_fill(alive & ~mask, -math.inf)
        found, weights = torch._scaled_dot_product_attention_math(
            query, key, value, bias.expand(B, H, L, S)
        )
        found, weights = found * alive, weights * alive
        return self.W_o(found.transpose(1, 2).flatten(2)), weights
