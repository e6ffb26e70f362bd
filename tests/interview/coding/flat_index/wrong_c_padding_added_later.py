"""The padding is not subtracted."""

import numpy as np

SEEDS = (5, 10)
KNOWN = "index_padding"


def flat_index(offset, kernel_size, stride, padding, input_shape):
    height, width = input_shape[2:]
    i, j = np.indices(offset.shape)[2:]
    row, column = i * stride[0] + offset // kernel_size[1], j * stride[1] + offset % kernel_size[1]
    return np.where((row < height) & (column < width), row * width + column, -1)
