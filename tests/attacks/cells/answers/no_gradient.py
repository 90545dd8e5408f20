# Right values through a detour that no gradient passes.
#
# /// expect
# double = "failed: no gradient reaches"
# ///

# %% double
def double(x):
    return torch.as_tensor(2 * x.detach().numpy())
