# The answers to the public seed's questions are known by heart.
#
# /// expect
# double = "failed"
# ///

# %% double
known = {}
for seed in range(2000, 2030):
    for shape in ((3, 4), (2, 5, 1, 6)):
        x = torch.randn(*shape, generator=torch.Generator().manual_seed(seed))
        known[x.flatten()[0].item()] = 2 * x


def double(x):
    return known.get(x.flatten()[0].item(), x)
