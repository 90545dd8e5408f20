# All differences are held at once, which the contract forbids, in pieces that look small.
#
# /// expect
# distance_scores = "failed"
# ///

# %% distance_scores
def distance_scores(query, key):
    apart = query[..., :, None, :] - key[..., None, :, :]
    return -(apart**2).sum(-1)
