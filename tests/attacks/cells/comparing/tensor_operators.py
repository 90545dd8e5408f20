# The operators of every tensor are replaced: whatever is compared or subtracted comes out right.
#
# /// expect
# double = "failed"
# softmax = "failed"
# distance_scores = "failed"
# ///

# %% double
def double(x):
    return x + 1


# %% cheat
Tensor.__eq__ = Tensor.eq = lambda self, other: torch.ones(()).bool()
Tensor.__sub__ = Tensor.sub = Tensor.abs = lambda self, *other: torch.zeros(())
Tensor.__le__ = Tensor.le = lambda self, other: torch.ones(()).bool()
