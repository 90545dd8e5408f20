# The operation that gives zeros where all is masked.
# expect: failed: the library's own softmax


def softmax(scores, dim=-1):
    return torch._safe_softmax(scores, dim)
