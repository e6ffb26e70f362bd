"""A function of tensors whose backward autograd finds, asked with arrays."""

import torch


def leaf(array, dtype="float64", requires_grad=True):
    """A tensor of an array's values that a gradient may be asked for."""
    return torch.tensor(array, dtype=getattr(torch, dtype), requires_grad=requires_grad)


def view_of(array, dtype="float64"):
    """A tensor and a view of it that has an array's values, and is not contiguous."""
    whole = leaf(array.swapaxes(-1, -2).copy(), dtype)
    return whole, whole.transpose(-1, -2)


def gradient(y, x, grad_output):
    """The gradient of x, as an array."""
    (found,) = torch.autograd.grad(y, x, torch.as_tensor(grad_output).to(y.dtype))
    return found.numpy()


def is_own(y):
    """Whether a tensor comes from a ``torch.autograd.Function`` that somebody wrote in Python."""
    return isinstance(y.grad_fn, torch.autograd.function.BackwardCFunction)


def is_tensor(value):
    """Whether a value is a tensor."""
    return isinstance(value, torch.Tensor)
