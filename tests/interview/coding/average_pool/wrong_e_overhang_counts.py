"""What lies beyond the padding is counted as padding is."""

import numpy as np

SEEDS = (8, 12)
KNOWN = "avg_ceil_k2"


def avg_pool(x, kernel_size, stride, padding):
    k, s, p = kernel_size, stride, padding
    images = x if x.ndim == 4 else x[None, :, :, None]
    values = np.pad(images, [(0, 0), (p, p + k + s), (p, p + k + s), (0, 0)])
    counts = [-(-(size + 2 * p - k) // s) + 1 for size in images.shape[1:3]]
    rows, columns = (n - ((n - 1) * s >= size + p) for n, size in zip(counts, images.shape[1:3], strict=True))
    y = np.empty((len(images), rows, columns, images.shape[3]))
    for i, j in np.ndindex(rows, columns):
        y[:, i, j] = values[:, i * s : i * s + k, j * s : j * s + k].mean((1, 2))
    return y if x.ndim == 4 else y[0, :, :, 0]
