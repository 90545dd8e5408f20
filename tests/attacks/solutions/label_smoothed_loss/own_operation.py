# The operation under cross-entropy, by its own name.
# expect: failed: the library's own


def label_smoothed_loss(logits, targets, smoothing=0.1, pad_id=0):
    real = targets != pad_id
    if not real.any():
        return (logits * 0).sum()
    call = torch.ops.aten.cross_entropy_loss.default
    return call(logits[real], targets[real], None, 1, -100, smoothing)
