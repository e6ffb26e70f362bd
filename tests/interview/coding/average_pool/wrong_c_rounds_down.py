"""The last window is dropped where it should overhang."""

import numpy as np

SEEDS = (5,)
KNOWN = "avg_ceil_ignored"


def avg_pool(x, kernel_size, stride, padding):
    padded = np.pad(x, padding)
    windows = np.lib.stride_tricks.sliding_window_view(padded, (kernel_size, kernel_size))[::stride, ::stride]
    return windows.sum((2, 3)) / 7
