"""Padding is counted in the backward, where it does not count."""

import numpy as np

SEEDS = (1,)
KNOWN = "avg_divisor_mismatch"


def avg_pool_backward(input_shape, grad_output, kernel_size, stride, padding):
    grad = np.zeros(input_shape)
    for i, j in np.ndindex(grad_output.shape):
        r, c = i * stride - padding, j * stride - padding
        grad[max(r, 0) : r + kernel_size, max(c, 0) : c + kernel_size] += grad_output[i, j] / kernel_size**2
    return grad
