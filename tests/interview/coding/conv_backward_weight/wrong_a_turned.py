"""The gradient is turned, as if the forward had turned the kernel."""

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

SEEDS = (2, 3)
KNOWN = "conv_flip_dW"


def conv_backward_weight(x, grad_output, kernel_size, stride, padding):
    padded = np.pad(x, [(0, 0), (padding, padding), (padding, padding), (0, 0)])
    windows = sliding_window_view(padded, kernel_size, axis=(1, 2))[:, ::stride, ::stride]
    return np.einsum("nijcab,nijo->abco", windows, grad_output)[::-1, ::-1]
