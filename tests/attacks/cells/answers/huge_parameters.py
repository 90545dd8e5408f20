# Parameters far larger than anything that was asked for.
#
# /// expect
# LearnedPositions = "failed: too large to look at"
# ///

# %% LearnedPositions
class LearnedPositions(nn.Module):
    def __init__(self, max_len, embed_dim, *args, **kwargs):
        super().__init__()
        self.position_embeddings = nn.Parameter(torch.zeros(1, max_len, embed_dim))
        self.huge = nn.Parameter(torch.zeros(1000, 500))

    def named_parameters(self, *args, **kwargs):
        return iter({"huge": self.huge}.items())

    def forward(self, x):
        return torch.zeros(1).expand(x.numel() * 100, 100)
