"""The same call on arrays and on tensors, and what is equal in both."""

import numpy as np
import torch

from course_lib import numpy_ops, torch_ops


def leaf(array):
    """A tensor of its own on the array's values, that wants a gradient if it can have one."""
    tensor = torch.from_numpy(np.array(array))
    return tensor.requires_grad_(tensor.is_floating_point())


def pair(name, x, *args, **options):
    """The results of an operation on an array and on a tensor, and the tensor."""
    tensor = leaf(x)
    return getattr(numpy_ops, name)(x, *args, **options), getattr(torch_ops, name)(tensor, *args, **options), tensor


def assert_same(found, expected):
    """The same dtype and the same bits."""
    found = found.detach().numpy()
    assert found.dtype == expected.dtype
    np.testing.assert_array_equal(found, expected)
    if expected.dtype.kind == "f":
        np.testing.assert_array_equal(np.signbit(found), np.signbit(expected))


def whole(rng, shape, dtype=float):
    """Whole numbers, whose sums are exact in any order."""
    return rng.integers(-9, 10, shape).astype(dtype)
