# Dropout that acts only where everything is dropped.
# expect: failed


class DecoderBlock(Provided):
    def __init__(self, embed_dim, num_heads, hidden_dim, dropout=0.0, norm_first=False):
        super().__init__(embed_dim, num_heads, hidden_dim, float(dropout == 1.0), norm_first)
