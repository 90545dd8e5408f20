# Right; the cell prints the name, has it in a docstring, and compares with the library's.
# expect: passed


def softmax(scores, dim=-1):
    """Not `torch.softmax`."""
    lowest = torch.finfo(scores.dtype).min
    exponentials = (scores - scores.amax(dim, keepdim=True).clamp(min=lowest)).exp()
    return exponentials / exponentials.sum(dim, keepdim=True).clamp(min=1)


example = torch.randn(3, 4, requires_grad=True)
print("softmax", getattr(torch, "softmax")(example, -1))  # noqa: B009
assert torch.allclose(softmax(example), torch.softmax(example, -1))
assert torch.allclose(softmax(example), nn.Softmax(-1)(example))
softmax(example).sum().backward()
print(example.grad)
