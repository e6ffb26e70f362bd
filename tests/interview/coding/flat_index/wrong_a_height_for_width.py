"""The index is made with the number of rows."""

import numpy as np

SEEDS = (5, 10)
KNOWN = "index_row_length"


def flat_index(offset, kernel_size, stride, padding, input_shape):
    height, width = input_shape[2:]
    i, j = np.indices(offset.shape)[2:]
    row = i * stride[0] - padding[0] + offset // kernel_size[1]
    column = j * stride[1] - padding[1] + offset % kernel_size[1]
    real = (row >= 0) & (row < height) & (column >= 0) & (column < width)
    return np.where(real, row * height + column, -1)
