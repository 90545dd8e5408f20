# A tensor that is right once it is detached, cloned or moved, and wrong in itself.
#
# /// expect
# double = "failed"
# ///

# %% double
class Late(Tensor):
    def detach(self):
        return self.as_subclass(Tensor) * 2

    clone = cpu = contiguous = numpy = detach

    @property
    def shape(self):
        return torch.Size([1])


def double(x):
    return x.clone().as_subclass(Late)
