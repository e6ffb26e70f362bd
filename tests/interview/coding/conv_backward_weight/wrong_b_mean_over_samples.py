"""The sum is divided by the number of samples."""

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

SEEDS = (5, 10)
KNOWN = "conv_div_m_twice"


def conv_backward_weight(grad_output, x, kernel_size, stride, padding):
    padded = np.pad(x, [(0, 0), (padding, padding), (padding, padding), (0, 0)])
    windows = sliding_window_view(padded, kernel_size, axis=(1, 2))[:, ::stride, ::stride]
    return np.einsum("nijcab,nijo->abco", windows, grad_output) / len(x)
