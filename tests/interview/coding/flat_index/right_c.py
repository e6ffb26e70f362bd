"""A padded plane of indices, from which windows are cut; column by column, in the plane."""

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

SEEDS = (2, 3, 8)


def flat_index(offset, kernel_size, stride, padding, input_shape):
    (ph, pw), (height, width) = padding, input_shape[2:]
    plane = np.pad(np.arange(height * width).reshape(height, width), ((ph, ph), (pw, pw)), constant_values=-1)
    windows = sliding_window_view(plane, kernel_size)[:: stride[0], :: stride[1]]
    taps = windows.swapaxes(2, 3).reshape(*windows.shape[:2], -1)
    return np.take_along_axis(np.broadcast_to(taps, (*offset.shape[:2], *taps.shape)), offset[..., None], -1)[..., 0]
