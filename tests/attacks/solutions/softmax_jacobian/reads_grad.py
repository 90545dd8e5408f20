# Right, in closed form; it only looks whether an attribute named `grad` is there.
# expect: passed


def softmax_jacobian(scores):
    weights = torch.softmax(scores, dim=0)
    if scores.is_leaf:
        assert scores.grad is None, "backward() ran before: call zero_grad()"
    return torch.diag(weights) - torch.outer(weights, weights)
