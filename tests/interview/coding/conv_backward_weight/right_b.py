"""Windows by a view, one einsum for each group."""

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

SEEDS = (1, 9)


def conv_backward_weight(grad_output, x, kernel_size, stride, padding, groups):
    padded = np.pad(x, [(0, 0), (0, 0), (padding, padding), (padding, padding)])
    windows = sliding_window_view(padded, kernel_size, axis=(2, 3))[:, :, ::stride, ::stride]
    parts = zip(np.split(windows, groups, axis=1), np.split(grad_output, groups, axis=1), strict=True)
    return np.concatenate([np.einsum("ncijab,noij->ocab", seen, sent) for seen, sent in parts])
