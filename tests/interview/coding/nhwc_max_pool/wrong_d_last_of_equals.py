"""A scan with >= ends at the last of equals."""

import numpy as np

SEEDS = (2, 3)
KNOWN = "nhwc_tie_last"


def max_pool(x, kernel_size, stride, padding):
    k, s, p = kernel_size, stride, padding
    samples, height, width, channels = x.shape
    shape = samples, (height + 2 * p - k) // s + 1, (width + 2 * p - k) // s + 1, channels
    y, indices = np.full(shape, -np.inf), np.zeros(shape, int)
    for n, i, j, c in np.ndindex(shape):
        for row in range(max(i * s - p, 0), min(i * s - p + k, height)):
            for column in range(max(j * s - p, 0), min(j * s - p + k, width)):
                if x[n, row, column, c] >= y[n, i, j, c]:
                    y[n, i, j, c], indices[n, i, j, c] = x[n, row, column, c], row * width + column
    return y, indices
