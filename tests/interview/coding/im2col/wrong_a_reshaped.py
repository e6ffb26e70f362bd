"""A reshape in the place of a transpose: the right shape, and the elements of windows in rows."""

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

SEEDS = (1,)
KNOWN = "columns_reshaped"


def im2col(x, kernel_size, stride, padding):
    padded = np.pad(x, ((0, 0), (padding, padding), (padding, padding), (0, 0)))
    windows = sliding_window_view(padded, (kernel_size, kernel_size), (1, 2))[:, ::stride, ::stride]
    return windows.reshape(kernel_size**2 * x.shape[3], -1)
