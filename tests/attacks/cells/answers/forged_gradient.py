# Right values with a gradient of one's own making.
#
# /// expect
# double = "failed: gradient"
# ///

# %% double
class Forged(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return 2 * x

    @staticmethod
    def backward(ctx, grad):
        return grad * 0 + 2


def double(x):
    return Forged.apply(x)
