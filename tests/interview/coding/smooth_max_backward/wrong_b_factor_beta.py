"""A factor beta stays."""

import numpy as np

SEEDS = (8,)
KNOWN = "smooth_times_beta"


def smooth_max_backward(grad_output, x, kernel_size, stride, beta):
    grad = np.zeros(x.shape)
    for i, j in np.ndindex(grad_output.shape):
        where = slice(i * stride, i * stride + kernel_size), slice(j * stride, j * stride + kernel_size)
        parts = np.exp(beta * (x[where] - x[where].max()))
        grad[where] += beta * grad_output[i, j] * parts / parts.sum()
    return grad
