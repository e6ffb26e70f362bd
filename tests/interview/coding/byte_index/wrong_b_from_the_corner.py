"""Where the window begins is left out."""

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

SEEDS = (8,)
KNOWN = "byte_from_the_corner"


def byte_indices(x, kernel_size, stride):
    windows = sliding_window_view(x, kernel_size)[:: stride[0], :: stride[1]]
    codes = windows.reshape(*windows.shape[:2], -1).argmax(-1)
    a, b = np.divmod(codes, kernel_size[1])
    return codes.astype(np.uint8), a * x.shape[1] + b
