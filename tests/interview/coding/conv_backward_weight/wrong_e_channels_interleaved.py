"""Every second channel is taken for one group."""

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

SEEDS = (1, 9)
KNOWN = "conv_groups_interleaved"


def conv_backward_weight(grad_output, x, kernel_size, stride, padding, groups):
    padded = np.pad(x, [(0, 0), (0, 0), (padding, padding), (padding, padding)])
    windows = sliding_window_view(padded, kernel_size, axis=(2, 3))[:, :, ::stride, ::stride]
    grad = np.empty((grad_output.shape[1], x.shape[1] // groups, *kernel_size))
    for group in range(groups):
        seen, sent = windows[:, group::groups], grad_output[:, group::groups]
        grad[group::groups] = np.einsum("ncijab,noij->ocab", seen, sent)
    return grad
