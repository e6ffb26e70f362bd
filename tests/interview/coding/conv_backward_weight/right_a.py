"""Loops over outputs and taps; channels last."""

import numpy as np

SEEDS = (2, 3)


def conv_backward_weight(x, grad_output, kernel_size, stride, padding):
    grad = np.zeros((*kernel_size, x.shape[3], grad_output.shape[3]))
    for n, i, j in np.ndindex(grad_output.shape[:3]):
        for a, b in np.ndindex(*kernel_size):
            row, column = i * stride - padding + a, j * stride - padding + b
            if 0 <= row < x.shape[1] and 0 <= column < x.shape[2]:
                grad[a, b] += np.outer(x[n, row, column], grad_output[n, i, j])
    return grad
