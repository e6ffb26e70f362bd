"""An array of row numbers and one of column numbers; a column for each window, dilated, channels first."""

import numpy as np

SEEDS = (10,)


def im2col(x, kernel_size, stride, padding, dilation):
    padded = np.pad(x, ((0, 0), (padding, padding), (padding, padding)))
    reach = dilation * (kernel_size - 1)
    taps = np.arange(kernel_size) * dilation
    tops = np.arange(0, padded.shape[1] - reach, stride)
    lefts = np.arange(0, padded.shape[2] - reach, stride)
    rows = taps[:, None, None, None] + tops[None, None, :, None]
    columns = taps[None, :, None, None] + lefts[None, None, None, :]
    found = padded[:, rows, columns]
    return np.moveaxis(found, 0, 2).reshape(-1, len(tops) * len(lefts))
