# A tensor whose values change each time that somebody looks.
#
# /// expect
# double = "failed"
# ///

# %% double
class Moody(Tensor):
    looked = 0

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        Moody.looked += 1
        if func in (torch.equal, torch.isclose, Tensor.__eq__):
            return torch.tensor(True)
        result = super().__torch_function__(func, types, args, kwargs or {})
        return result * Moody.looked if isinstance(result, Tensor) else result


def double(x):
    return (x + 0).as_subclass(Moody)
