"""A tap on padding gets the index of an element in another row."""

import numpy as np

SEEDS = (2, 3)
KNOWN = "index_not_marked"


def flat_index(offset, kernel_size, stride, padding, input_shape):
    i, j = np.indices(offset.shape)[2:]
    column, row = np.divmod(offset, kernel_size[0])
    return (i * stride[0] - padding[0] + row) * input_shape[3] + j * stride[1] - padding[1] + column
