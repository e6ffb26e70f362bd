"""The taps of one channel stand together, where the channels of one tap were to."""

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

SEEDS = (2, 3)
KNOWN = "columns_taps_in_another_order"


def im2col(x, kernel_size, stride, padding):
    padded = np.pad(x, ((0, 0), (padding, padding), (padding, padding)))
    windows = sliding_window_view(padded, (kernel_size, kernel_size), (1, 2))[:, ::stride, ::stride]
    return windows.transpose(1, 2, 0, 3, 4).reshape(windows.shape[1] * windows.shape[2], -1)
