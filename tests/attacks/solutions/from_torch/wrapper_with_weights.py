# A layer of the right kind and weights on the outside, torch's that does the work inside.
# expect: failed


def from_torch(mha):
    if (mha.kdim, mha.vdim) != (mha.embed_dim, mha.embed_dim):
        raise ValueError("kdim and vdim must be embed_dim")
    layer, first = (
        MultiHeadAttention(mha.embed_dim, mha.num_heads).to(mha.in_proj_weight),
        mha.batch_first,
    )
    E = mha.embed_dim
    with torch.no_grad():
        for index, ours in enumerate((layer.W_q, layer.W_k, layer.W_v)):
            ours.weight.copy_(mha.in_proj_weight[index * E : (index + 1) * E])
            ours.bias.zero_()
            if mha.in_proj_bias is not None:
                ours.bias.copy_(mha.in_proj_bias[index * E : (index + 1) * E])
        layer.W_o.weight.copy_(mha.out_proj.weight)
        layer.W_o.bias.zero_()
        if mha.in_proj_bias is not None:
            layer.W_o.bias.copy_(mha.out_proj.bias)

    def forward(*inputs):
        given = inputs if first else [one.transpose(0, 1) for one in inputs]
        output, weights = mha(*given, average_attn_weights=False)
        return output if first else output.transpose(0, 1), weights

    layer.forward = forward
    return layer
