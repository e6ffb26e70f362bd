"""The mean of the real elements, where padding counts."""

import numpy as np

SEEDS = (2, 3)
KNOWN = "avg_pad_never_counts"


def avg_pool(x, kernel_size, stride, padding):
    rows, columns = ((size + 2 * padding - kernel_size) // stride + 1 for size in x.shape)
    y = np.zeros((rows, columns))
    for i, j in np.ndindex(rows, columns):
        r, c = i * stride - padding, j * stride - padding
        y[i, j] = x[max(r, 0) : r + kernel_size, max(c, 0) : c + kernel_size].mean()
    return y
