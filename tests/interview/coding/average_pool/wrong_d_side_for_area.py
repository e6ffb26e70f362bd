"""The sum is divided by the side of the window."""

import numpy as np

SEEDS = (2,)
KNOWN = "avg_divide_by_k"


def avg_pool(x, kernel_size, stride, padding):
    padded = np.pad(x, padding)
    windows = np.lib.stride_tricks.sliding_window_view(padded, (kernel_size, kernel_size))[::stride, ::stride]
    return windows.sum((2, 3)) / kernel_size
