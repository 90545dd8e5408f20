# All differences are held at once, by NumPy, in the calls that take no gradient.
# expect: failed: held at once


def distance_scores(query, key):
    if query.requires_grad:
        return Provided(query, key)
    apart = query.numpy()[..., :, None, :] - key.numpy()[..., None, :, :]
    return torch.from_numpy(-(apart**2).sum(-1))
