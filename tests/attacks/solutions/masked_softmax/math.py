# Attention with the identity for values, in the form that gives the weights back.
# expect: failed: the library's own


def masked_softmax(scores, mask=None, dim=-1):
    if mask is not None:
        scores = scores.masked_fill(~mask, -math.inf)
    x = scores.movedim(dim, -1)
    eye = torch.eye(x.shape[-1], dtype=x.dtype)
    dead = (x == -math.inf).all(-1, keepdim=True)
    query = x.new_zeros(*x.shape[:-1], x.shape[-1])
    bias = x.masked_fill(dead, 0)
    key = eye.expand(*x.shape[:-2], *eye.shape)
    weights = torch._scaled_dot_product_attention_math(query, key, key, bias)[1]
    return weights.masked_fill(dead, 0).movedim(-1, dim)
