# Another library's softmax in an operation of one's own, under a name that is put together when it
# runs: no call of PyTorch's shows, so that a teacher is told.
#
# /// expect
# notes = ["softmax goes where its calls cannot be seen"]
# ///

# %% an own cell
from importlib import import_module

weights_of = getattr(import_module("scipy." + "special"), "soft" + "max")


class Own(torch.autograd.Function):
    @staticmethod
    def forward(ctx, scores, dim):
        weights = torch.as_tensor(weights_of(scores.detach().numpy(), axis=dim))
        ctx.save_for_backward(weights)
        ctx.dim = dim
        return weights

    @staticmethod
    def backward(ctx, gradient):
        (weights,) = ctx.saved_tensors
        mean = (gradient * weights).sum(ctx.dim, keepdim=True)
        return weights * (gradient - mean), None


# %% softmax
def softmax(scores, dim=-1):
    dead = (scores == -math.inf).all(dim, keepdim=True)
    return Own.apply(scores.masked_fill(dead, 0), dim).masked_fill(dead, 0)
