"""The place is counted row by row, and column by column was asked for."""

import numpy as np

SEEDS = (11,)
KNOWN = "index_other_order"


def window_offset(index, kernel_size, stride, padding, input_shape):
    rows, columns = np.indices(index.shape)[2:]
    _, _, row, column = np.unravel_index(np.maximum(index, 0), input_shape)
    a = row - (rows * stride[0] - padding[0])
    b = column - (columns * stride[1] - padding[1])
    return np.where(index < 0, -1, a * kernel_size[1] + b)
