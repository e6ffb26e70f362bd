"""A padded array, and a second one of ones that counts what is real; channels last."""

import numpy as np

SEEDS = (1, 7)


def avg_pool(x, kernel_size, stride, padding):
    k, s, p = kernel_size, stride, padding
    ends = [(0, 0), (p, p + k + s), (p, p + k + s), (0, 0)]
    values, ones = np.pad(x, ends), np.pad(np.ones(x.shape), ends)
    counts = [-(-(size + 2 * p - k) // s) + 1 for size in x.shape[1:3]]
    rows, columns = (n - ((n - 1) * s >= size + p) for n, size in zip(counts, x.shape[1:3], strict=True))
    y = np.empty((len(x), rows, columns, x.shape[3]))
    for i in range(rows):
        for j in range(columns):
            window = slice(None), slice(i * s, i * s + k), slice(j * s, j * s + k)
            y[:, i, j] = values[window].sum((1, 2)) / ones[window].sum((1, 2))
    return y
