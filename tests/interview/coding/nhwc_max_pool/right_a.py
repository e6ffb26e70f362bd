"""Loops over windows; padding is not copied, and the index counts the plane."""

import numpy as np

SEEDS = (2, 3, 8)


def max_pool(x, kernel_size, stride, padding):
    k, s, p = kernel_size, stride, padding
    samples, height, width, channels = x.shape
    shape = samples, (height + 2 * p - k) // s + 1, (width + 2 * p - k) // s + 1, channels
    y, indices = np.zeros(shape), np.zeros(shape, int)
    for n, i, j, c in np.ndindex(shape):
        top, left = max(i * s - p, 0), max(j * s - p, 0)
        window = x[n, top : i * s - p + k, left : j * s - p + k, c]
        a, b = np.unravel_index(window.argmax(), window.shape)
        y[n, i, j, c], indices[n, i, j, c] = window[a, b], (top + a) * width + left + b
    return y, indices
