"""The way back by arrays; column by column."""

import numpy as np

SEEDS = (11,)


def window_offset(index, kernel_size, stride, padding, input_shape):
    rows, columns = np.indices(index.shape)[2:]
    _, _, row, column = np.unravel_index(np.maximum(index, 0), input_shape)
    a = row - (rows * stride[0] - padding[0])
    b = column - (columns * stride[1] - padding[1])
    return np.where(index < 0, -1, b * kernel_size[0] + a)
