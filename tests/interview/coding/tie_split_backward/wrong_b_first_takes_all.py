"""The first of the tied elements gets everything."""

import numpy as np

SEEDS = (11,)
KNOWN = "split_first"


def max_pool_backward(grad_output, x, kernel_size, stride, padding):
    k, s, p = kernel_size, stride, padding
    values = np.pad(x, [(0, 0), (p, p), (p, p), (0, 0)], constant_values=-np.inf)
    grad = np.zeros(values.shape)
    for n, i, j, c in np.ndindex(grad_output.shape):
        a, b = np.unravel_index(values[n, i * s : i * s + k, j * s : j * s + k, c].argmax(), (k, k))
        grad[n, i * s + a, j * s + b, c] += grad_output[n, i, j, c]
    return grad[:, p : p + x.shape[1], p : p + x.shape[2]]
