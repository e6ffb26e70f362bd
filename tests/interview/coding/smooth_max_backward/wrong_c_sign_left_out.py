"""The sign is left out."""

import numpy as np

SEEDS = (1, 6)
KNOWN = "smooth_lp_sign"


def smooth_max_backward(grad_output, x, power, kernel_size, stride):
    grad = np.zeros(x.shape)
    for n, i, j, c in np.ndindex(grad_output.shape):
        where = n, slice(i * stride, i * stride + kernel_size), slice(j * stride, j * stride + kernel_size), c
        sizes = np.abs(x[where])
        unit = sizes.max() or 1.0
        norm = ((sizes / unit) ** power).sum() ** (1 / power) or 1.0
        grad[where] += grad_output[n, i, j, c] * (sizes / unit / norm) ** (power - 1)
    return grad
