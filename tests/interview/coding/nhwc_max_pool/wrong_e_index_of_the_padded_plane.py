"""The index counts the padded plane."""

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

SEEDS = (2, 8)
KNOWN = "nhwc_padded_index"


def max_pool(x, kernel_size, stride, padding):
    padded = np.pad(x, [(0, 0), (padding, padding), (padding, padding), (0, 0)], constant_values=-np.inf)
    windows = sliding_window_view(padded, (kernel_size, kernel_size), axis=(1, 2))[:, ::stride, ::stride]
    flat = windows.reshape(*windows.shape[:4], -1)
    i, j = np.indices(flat.shape[:4])[1:3]
    a, b = np.divmod(flat.argmax(-1), kernel_size)
    return flat.max(-1), (i * stride + a) * padded.shape[2] + j * stride + b
