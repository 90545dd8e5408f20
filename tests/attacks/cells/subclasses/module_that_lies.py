# A layer whose parameters are other ones each time, and whose weights cannot be put in.
#
# /// expect
# LearnedPositions = "failed"
# ///

# %% LearnedPositions
class LearnedPositions(nn.Module):
    def __init__(self, *sizes):
        super().__init__()
        self.W_q = nn.Linear(1, 1)

    def named_parameters(self, *a, **k):
        return iter([("W_q.weight", nn.Parameter(torch.randn(2, 3))), (3, None), (None, self)])

    def forward(self, x, mask=None):
        return x, x
