"""Loops; the offset in the window becomes a row and a column."""

import numpy as np

SEEDS = (8,)


def backward_from_indices(grad_output, indices, input_shape, kernel_size, stride, padding):
    grad = np.zeros(input_shape)
    for n, c, i, j in np.ndindex(grad_output.shape):
        if indices[n, c, i, j] >= 0:
            a, b = divmod(indices[n, c, i, j], kernel_size)
            grad[n, c, i * stride + a - padding, j * stride + b - padding] += grad_output[n, c, i, j]
    return grad
