# Torch's layer in a wrapper, in place of a layer with its weights.
# expect: failed


def from_torch(mha):
    if (mha.kdim, mha.vdim) != (mha.embed_dim, mha.embed_dim):
        raise ValueError("kdim and vdim must be embed_dim")
    first = mha.batch_first

    class Layer(nn.Module):
        def forward(self, *inputs):
            given = inputs if first else [one.transpose(0, 1) for one in inputs]
            output, weights = mha(*given, average_attn_weights=False)
            return output if first else output.transpose(0, 1), weights

    return Layer()
