"""Every element of the window gets a part."""

import numpy as np

SEEDS = (8,)
KNOWN = "split_among_all"


def min_pool_backward(grad_output, x, y, kernel_size, stride, padding):
    k, s, p = kernel_size, stride, padding
    grad = np.zeros((x.shape[0] + 2 * p, x.shape[1] + 2 * p))
    for i, j in np.ndindex(grad_output.shape):
        grad[i * s : i * s + k, j * s : j * s + k] += grad_output[i, j] / k**2
    return grad[p : p + x.shape[0], p : p + x.shape[1]]
