# The forbidden function runs in a thread that an earlier cell has started.
#
# /// expect
# softmax = "failed: the library's own softmax"
# ///

# %% an own cell
from concurrent.futures import ThreadPoolExecutor

pool = ThreadPoolExecutor(1)
pool.submit(int).result()


# %% softmax
def softmax(scores, dim=-1):
    dead = (scores == -math.inf).all(dim, keepdim=True)
    scores = scores.masked_fill(dead, 0)
    return pool.submit(getattr(torch, "soft" + "max"), scores, dim).result().masked_fill(dead, 0)
