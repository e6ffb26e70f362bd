"""The place is split by the kernel's number of rows."""

import numpy as np

SEEDS = (5, 10)
KNOWN = "index_window_side"


def flat_index(offset, kernel_size, stride, padding, input_shape):
    height, width = input_shape[2:]
    found = np.full(offset.shape, -1)
    for place in np.ndindex(offset.shape):
        a, b = divmod(offset[place], kernel_size[0])
        row, column = place[2] * stride[0] - padding[0] + a, place[3] * stride[1] - padding[1] + b
        if 0 <= row < height and 0 <= column < width:
            found[place] = row * width + column
    return found
