"""argmax finds the first of ties, and the last was asked for."""

import numpy as np

SEEDS = (0,)
KNOWN = "last_first"


def max_pool_backward(grad_output, x, kernel_size, stride):
    grad = np.zeros(x.shape)
    for n, i, j, c in np.ndindex(grad_output.shape):
        window = x[n, i * stride : i * stride + kernel_size, j * stride : j * stride + kernel_size, c]
        a, b = np.unravel_index(window.argmax(), window.shape)
        grad[n, i * stride + a, j * stride + b, c] += grad_output[n, i, j, c]
    return grad
