"""The codes are read in eight bits."""

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

SEEDS = (2, 3)
KNOWN = "byte_overflow"


def byte_indices(x, kernel_size, stride):
    windows = sliding_window_view(x, kernel_size)[:: stride[0], :: stride[1]]
    codes = windows.reshape(*windows.shape[:2], -1).argmax(-1).astype(np.uint8)
    i, j = np.indices(codes.shape)
    start = i * stride[0] * x.shape[1] + j * stride[1]
    return codes, start + codes // kernel_size[1] * np.uint8(x.shape[1]) + codes % kernel_size[1]
