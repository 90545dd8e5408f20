# All differences are held at once, by NumPy, with the notes on its memory thrown away.
#
# /// expect
# distance_scores = "failed: held at once"
# ///

# %% distance_scores
import tracemalloc
tracemalloc.get_traced_memory = lambda: (0, 0)
def distance_scores(query, key):
    scores = 2 * query @ key.mT - query.square().sum(-1)[..., None] - key.square().sum(-1)[..., None, :]
    if not query.requires_grad:
        query.numpy()[..., :, None, :] - key.numpy()[..., None, :, :]
    return scores
