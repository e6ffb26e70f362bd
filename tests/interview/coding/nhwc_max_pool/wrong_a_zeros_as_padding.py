"""The padding is zeros."""

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

SEEDS = (5, 10)
KNOWN = "nhwc_zero_pad"


def max_pool(x, kernel_size, stride, padding):
    padded = np.pad(x, [(0, 0), (padding, padding), (padding, padding), (0, 0)])
    windows = sliding_window_view(padded, (kernel_size, kernel_size), axis=(1, 2))[:, ::stride, ::stride]
    flat = windows.reshape(*windows.shape[:4], -1)
    return flat.max(-1), flat.argmax(-1)
