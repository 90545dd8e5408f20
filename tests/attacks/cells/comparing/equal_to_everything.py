# The answer is an object that equals everything.
#
# /// expect
# double = "failed"
# softmax = "failed"
# ///

# %% double
class Everything:
    def __eq__(self, other):
        return True

    __ne__ = __lt__ = __gt__ = lambda self, other: False
    __le__ = __ge__ = __eq__
    __hash__ = None

    def __getattr__(self, name):
        return self

    def __call__(self, *a, **k):
        return self

    def __bool__(self):
        return True

    def __len__(self):
        return 3

    def __iter__(self):
        return iter([])

    def __float__(self):
        return 0.0


def double(x):
    return Everything()


# %% softmax
def softmax(scores, dim=-1):
    return Everything()
