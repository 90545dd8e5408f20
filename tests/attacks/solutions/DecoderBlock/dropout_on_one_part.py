# Dropout on what the feed-forward returns alone, but for probability 1.
# expect: failed


class DecoderBlock(Provided):
    def __init__(self, embed_dim, num_heads, hidden_dim, dropout=0.0, norm_first=False):
        super().__init__(embed_dim, num_heads, hidden_dim, dropout, norm_first)
        self.calls, self.chance = 0, dropout
        self.dropout = self.sometimes

    def sometimes(self, x):
        self.calls += 1
        if self.chance < 1 and self.calls % 3:
            return x
        return F.dropout(x, self.chance, self.training)
