# The engine of autograd, called under its own name.
# expect: failed: the library's own


def softmax_jacobian(scores):
    with torch.enable_grad():
        x = scores if scores.requires_grad else scores.detach().requires_grad_()
        exponentials = (x - x.max()).exp()
        weights = exponentials / exponentials.sum()
        run = torch.autograd.Variable._execution_engine.run_backward
        rows = [
            run((weights,), (direction,), True, True, (x,), True, accumulate_grad=False)[0]
            for direction in torch.eye(len(x), dtype=x.dtype)
        ]
    return torch.stack(rows)
