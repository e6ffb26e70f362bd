"""The weights are taken for constants."""

import numpy as np

SEEDS = (11,)
KNOWN = "smooth_weights_alone"


def smooth_max_backward(grad_output, x, beta, kernel_size, stride):
    grad = np.zeros(x.shape)
    for i, j in np.ndindex(grad_output.shape):
        where = slice(i * stride, i * stride + kernel_size), slice(j * stride, j * stride + kernel_size)
        weights = np.exp(beta * (x[where] - x[where].max()))
        grad[where] += grad_output[i, j] * weights / weights.sum()
    return grad
