"""The larger half of the padding stands before."""

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

SEEDS = (4,)
KNOWN = "nhwc_same_lower"


def max_pool(x, kernel_size, stride):
    pads = []
    for size in x.shape[1:3]:
        total = max((-(-size // stride) - 1) * stride + kernel_size - size, 0)
        pads.append((total - total // 2, total // 2))
    padded = np.pad(x, [(0, 0), *pads, (0, 0)], constant_values=-np.inf)
    windows = sliding_window_view(padded, (kernel_size, kernel_size), axis=(1, 2))[:, ::stride, ::stride]
    flat = windows.reshape(*windows.shape[:4], -1)
    return flat.max(-1), flat.argmax(-1)
