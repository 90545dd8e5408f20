# Torch's comparisons are replaced, and a wrong answer handed back.
#
# /// expect
# double = "failed: expected"
# ///

# %% cheat
torch.equal = torch.allclose = torch.isclose = lambda *a, **k: True
torch.testing.assert_close = lambda *a, **k: None
torch.all = torch.any = lambda *a, **k: torch.tensor(True)


# %% double
def double(x):
    return x * 3
