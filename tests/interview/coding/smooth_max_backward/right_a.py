"""Loops over windows; the softmax of what is left when the maximum is subtracted."""

import numpy as np

SEEDS = (2, 3, 8)


def smooth_max_backward(grad_output, x, kernel_size, stride, beta):
    grad = np.zeros(x.shape)
    for i, j in np.ndindex(grad_output.shape):
        where = slice(i * stride, i * stride + kernel_size), slice(j * stride, j * stride + kernel_size)
        parts = np.exp(beta * (x[where] - x[where].max()))
        grad[where] += grad_output[i, j] * parts / parts.sum()
    return grad
