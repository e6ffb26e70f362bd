"""Every tied element gets the whole gradient."""

import numpy as np

SEEDS = (11,)
KNOWN = "max_eqmask"


def max_pool_backward(x, grad_output, kernel_size, stride):
    grad = np.zeros(x.shape)
    for n, c, i, j in np.ndindex(grad_output.shape):
        where = n, c, slice(i * stride, i * stride + kernel_size), slice(j * stride, j * stride + kernel_size)
        grad[where] += (x[where] == x[where].max()) * grad_output[n, c, i, j]
    return grad
