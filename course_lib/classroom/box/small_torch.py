"""As much of PyTorch as the comparison of a convolution's gradients needs.

The convolution and its gradients are computed by the judge, with PyTorch; only arrays cross. Everything else of PyTorch
is not there.
"""

import numpy as np


class Tensor:
    """An array with what it was made from, so that gradients can be asked for."""

    grad = None

    def __init__(self, array, parents=(), requires_grad=False):
        self.array, self.parents = np.asarray(array), parents
        self.requires_grad = requires_grad or any(parent.requires_grad for parent, _ in parents)

    shape = property(lambda self: self.array.shape)
    dtype = property(lambda self: self.array.dtype)

    def requires_grad_(self, value=True):
        """As PyTorch's."""
        self.requires_grad = value
        return self

    def numpy(self):
        """The array."""
        return self.array

    def item(self):
        """The number."""
        return self.array.item()

    def detach(self):
        """The values alone."""
        return Tensor(self.array)

    def clone(self):
        """A copy that is part of the computation."""
        return Tensor(self.array.copy(), ((self, lambda grad: grad),))

    def double(self):
        """In float64."""
        return Tensor(self.array.astype(np.float64), ((self, lambda grad: grad),))

    def cpu(self):
        """Itself."""
        return self

    def sum(self):
        """The sum of all elements."""
        return Tensor(self.array.sum(), ((self, lambda grad: grad * np.ones(self.shape)),))

    def __array__(self, dtype=None, copy=None):
        return np.array(self.array, dtype=dtype)

    def __mul__(self, other):
        other = as_tensor(other)
        return Tensor(
            self.array * other.array,
            (
                (self, lambda grad: _fitted(grad * other.array, self.shape)),
                (other, lambda grad: _fitted(grad * self.array, other.shape)),
            ),
        )

    def __add__(self, other):
        other = as_tensor(other)
        parents = tuple((one, lambda grad, one=one: _fitted(grad, one.shape)) for one in (self, other))
        return Tensor(self.array + other.array, parents)

    def __neg__(self):
        return self * -1.0

    def __sub__(self, other):
        return self + -as_tensor(other)

    __rmul__, __radd__ = __mul__, __add__

    def backward(self, gradient=None):
        """Adds to the gradients of all tensors that it was made from and that ask for one."""
        for tensor, grad in _gradients(self, gradient).items():
            if tensor.requires_grad and not tensor.parents:
                tensor.grad = Tensor(grad if tensor.grad is None else tensor.grad.array + grad)


def _fitted(grad, shape):
    """A gradient of a shape, from that of what the shape was broadcast to."""
    while grad.ndim > len(shape):
        grad = grad.sum(axis=0)
    axes = tuple(axis for axis, size in enumerate(shape) if size == 1 and grad.shape[axis] != 1)
    return grad.sum(axis=axes, keepdims=True)


def _gradients(output, gradient):
    """The gradients of all that an output was made from, itself included."""
    found = {output: np.ones(output.shape) if gradient is None else as_tensor(gradient).array}
    for tensor in _in_order(output):
        for parent, rule in tensor.parents:
            if parent.requires_grad:
                found[parent] = found.get(parent, 0) + rule(found[tensor])
    return found


def _in_order(output):
    """What an output was made from, each before what it was made from itself."""
    ordered, seen = [], set()

    def visit(tensor):
        if tensor not in seen and tensor.requires_grad:
            seen.add(tensor)
            for parent, _ in tensor.parents:
                visit(parent)
            ordered.append(tensor)

    visit(output)
    return reversed(ordered)


def as_tensor(value, dtype=None, requires_grad=False):
    """A tensor of an array or a number."""
    if isinstance(value, Tensor):
        return value
    return Tensor(np.array(value, dtype=dtype or None), requires_grad=requires_grad)


def grad(outputs, inputs, grad_outputs=None):
    """As ``torch.autograd.grad``."""
    outputs = outputs[0] if isinstance(outputs, (tuple, list)) else outputs
    given = grad_outputs[0] if isinstance(grad_outputs, (tuple, list)) else grad_outputs
    found = _gradients(outputs, given)
    return tuple(Tensor(found[one]) for one in ([inputs] if isinstance(inputs, Tensor) else inputs))


def names(ask):
    """What can be imported, by full names.

    Parameters
    ----------
    ask : callable
        From the name of a function of the judge's and its arguments to its value.
    """

    def conv2d(x, weight, bias=None, stride=1, padding=0):
        tensors = [None if one is None else as_tensor(one) for one in (x, weight, bias)]
        arrays = [None if one is None else one.array for one in tensors]
        known = {}

        def rule(number):
            def gradient(upstream):
                if known.get("of") is not upstream:
                    known.update(
                        of=upstream, grads=ask("framework.conv2d_gradients", upstream, *arrays, stride, padding)
                    )
                return known["grads"][number]

            return gradient

        parents = tuple((one, rule(number)) for number, one in enumerate(tensors) if one is not None)
        return Tensor(ask("framework.conv2d", *arrays, stride, padding), parents)

    found = {"tensor": as_tensor, "as_tensor": as_tensor, "from_numpy": as_tensor, "Tensor": as_tensor}
    found |= {"float64": np.float64, "double": np.float64, "float32": np.float32, "conv2d": conv2d}
    found |= {"nn.functional.conv2d": conv2d, "autograd.grad": grad}
    return {f"torch.{name}": value for name, value in found.items()}
