# Numbers, texts and containers derived from the plain ones say that they equal everything.
#
# /// expect
# double = "failed"
# softmax = "failed"
# distance_scores = "failed"
# ///

# %% double
def sly(kind, *value):
    body = {"__eq__": lambda *a: True, "__ne__": lambda *a: False, "__hash__": lambda s: 0}
    body |= {"__sub__": lambda *a: 0.0, "__iter__": lambda s: iter([s])}
    return type("Sly", (kind,), body)(*value)


def double(x):
    return sly(float, 1.0)


# %% softmax
def softmax(scores, dim=-1):
    return sly(tuple, [1, 2])


# %% distance_scores
def distance_scores(query, key):
    return sly(dict, a=1)
