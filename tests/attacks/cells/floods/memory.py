# Memory without end, in Python's objects and in torch's tensors.
#
# /// expect
# double = "memory: it ran out of memory"
# softmax = "failed: memory"
# status = "memory"
# ///

# %% double
kept = []


def double(x):
    while True:
        kept.append(bytearray(2**26))


# %% softmax
kept = []


def softmax(scores, dim=-1):
    while True:
        kept.append(torch.ones(2**24))
