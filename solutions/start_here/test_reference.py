"""Chapter 0 against arithmetic done by hand."""

import torch

from solutions.start_here import double


def test_is_twice_every_entry():
    assert torch.equal(
        double(torch.tensor([[0.0, 1.5], [-3.0, 4.0]])), torch.tensor([[0, 3], [-6, 8.0]])
    )


def test_keeps_the_dtype_of_whole_numbers():
    assert torch.equal(double(torch.tensor([1, -2])), torch.tensor([2, -4]))


def test_leaves_its_input_alone():
    x = torch.ones(3)
    double(x)
    assert torch.equal(x, torch.ones(3))


def test_has_the_gradient_two():
    x = torch.randn(3, requires_grad=True)
    double(x).sum().backward()
    assert torch.equal(x.grad, torch.full((3,), 2.0))
