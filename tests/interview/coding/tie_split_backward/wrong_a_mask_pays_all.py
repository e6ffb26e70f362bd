"""Every tied element gets the whole gradient."""

import numpy as np

SEEDS = (2, 3)
KNOWN = "split_mask"


def min_pool_backward(grad_output, x, kernel_size, stride, padding):
    grad = np.zeros(x.shape)
    for i, j in np.ndindex(grad_output.shape):
        r, c = i * stride - padding, j * stride - padding
        where = slice(max(r, 0), r + kernel_size), slice(max(c, 0), c + kernel_size)
        grad[where] += (x[where] == x[where].min()) * grad_output[i, j]
    return grad
