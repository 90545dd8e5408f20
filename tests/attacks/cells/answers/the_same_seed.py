# The seed is guessed from what the process can see: its generators, the clock, the environment.
#
# /// expect
# double = "failed"
# ///

# %% double
import os, random, time

seeds = {torch.initial_seed(), random.getrandbits(32), int(time.time()), os.getpid(), 0, 2017}


def double(x):
    for seed in seeds:
        generator = torch.Generator().manual_seed(seed % 2**63)
        if torch.equal(torch.randn(x.shape, generator=generator).to(x.dtype), x):
            return 2 * x
    return x
