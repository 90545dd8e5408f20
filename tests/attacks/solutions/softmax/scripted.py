# The forbidden function in a program of TorchScript's.
# expect: failed: the library's own softmax
program = torch.jit.CompilationUnit(
    "def weights(x: Tensor, dim: int) -> Tensor:\n    return torch.softmax(x, dim)\n"
)


def softmax(scores, dim=-1):
    dead = (scores == -math.inf).all(dim, keepdim=True)
    return program.weights(scores.masked_fill(dead, 0), dim).masked_fill(dead, 0)
