"""Only elements that are equal share, and not those within the tolerance."""

import numpy as np

SEEDS = (10,)
KNOWN = "split_equal_alone"


def min_pool_backward(grad_output, x, kernel_size, stride, padding):
    grad = np.zeros(x.shape)
    for i, j in np.ndindex(grad_output.shape):
        r, c = i * stride - padding, j * stride - padding
        where = slice(max(r, 0), r + kernel_size), slice(max(c, 0), c + kernel_size)
        tied = x[where] == x[where].min()
        grad[where] += tied * grad_output[i, j] / tied.sum()
    return grad
