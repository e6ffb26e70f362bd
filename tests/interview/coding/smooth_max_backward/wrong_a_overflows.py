"""The exponentials overflow."""

import numpy as np

SEEDS = (2, 3)
KNOWN = "smooth_overflow"


def smooth_max_backward(grad_output, x, kernel_size, stride, beta):
    grad = np.zeros(x.shape)
    for i, j in np.ndindex(grad_output.shape):
        where = slice(i * stride, i * stride + kernel_size), slice(j * stride, j * stride + kernel_size)
        parts = np.exp(beta * x[where])
        grad[where] += parts / parts.sum() * grad_output[i, j]
    return grad
