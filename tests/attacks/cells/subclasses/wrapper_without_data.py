# A wrapper tensor with a shape and no values behind it.
#
# /// expect
# double = "failed"
# ///

# %% double
class Hollow(Tensor):
    @staticmethod
    def __new__(cls, like):
        return Tensor._make_wrapper_subclass(cls, like.shape, dtype=like.dtype)

    @classmethod
    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
        return torch.zeros(3, 4)


def double(x):
    return Hollow(x)
