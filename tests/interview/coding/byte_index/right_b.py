"""Windows by a view, turned for the last of equals; the codes are widened to be read."""

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

SEEDS = (0, 4, 7)


def byte_indices(x, kernel_size, stride, padding):
    (kh, kw), (sh, sw), (ph, pw) = kernel_size, stride, padding
    padded = np.pad(x, ((ph, ph), (pw, pw)), constant_values=-np.inf)
    windows = sliding_window_view(padded, kernel_size)[::sh, ::sw]
    codes = kh * kw - 1 - windows.reshape(*windows.shape[:2], -1)[..., ::-1].argmax(-1)
    codes = codes.astype(np.uint8)
    i, j = np.indices(codes.shape)
    a, b = np.divmod(codes.astype(int), kw)
    return codes, (i * sh - ph + a) * x.shape[1] + j * sw - pw + b
