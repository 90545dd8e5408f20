# The answer says that it is a tensor, by its class and by its metaclass.
#
# /// expect
# double = "failed: should be a tensor"
# softmax = "failed"
# ///

# %% double
class Meta(type):
    def __instancecheck__(cls, other):
        return True

    def __subclasscheck__(cls, other):
        return True

    def mro(cls):
        return [cls, Tensor, object] if False else super().mro()


class Liar(metaclass=Meta):
    __class__ = Tensor
    dtype, shape = torch.float32, (3, 4)


def double(x):
    return Liar()


# %% softmax
def softmax(scores, dim=-1):
    raise type("Tensor", (BaseException,), {"__class__": Tensor})("a tensor, really")
