"""The padding is zeros."""

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

SEEDS = (12,)
KNOWN = "byte_zero_pad"


def byte_indices(x, kernel_size, stride, padding):
    (kh, kw), (ph, pw), (sh, sw) = kernel_size, padding, stride
    padded = np.pad(x, ((ph, ph), (pw, pw)))
    windows = sliding_window_view(padded, kernel_size)[::sh, ::sw]
    a, b = np.divmod(windows.reshape(*windows.shape[:2], -1).argmax(-1), kw)
    i, j = np.indices(a.shape)
    return (b * kh + a).astype(np.uint8), (i * sh - ph + a) * x.shape[1] + j * sw - pw + b
