# The operation in plain mathematics that torch's own attention falls back to.
# expect: failed: the library's own


def scaled_dot_product_attention(query, key, value, mask=None):
    mask = query.new_ones(query.shape[-2], key.shape[-2]).bool() if mask is None else mask
    alive = mask.any(-1, keepdim=True)
    bias = torch.zeros(mask.shape, dtype=query.dtype).masked_fill(alive & ~mask, -math.inf)
    output, weights = torch._scaled_dot_product_attention_math(query, key, value, bias)
    return output * alive, weights * alive
