"""Running sums of where windows begin and end, and the outer product of the axes."""

import numpy as np

SEEDS = (2, 3, 8)


def along(size, kernel, stride, padding):
    starts = np.arange(0, size + 2 * padding - kernel + 1, stride)
    changes = np.zeros(size + 2 * padding + 1, int)
    np.add.at(changes, starts, 1)
    np.add.at(changes, starts + kernel, -1)
    return changes.cumsum()[padding : padding + size]


def coverage(input_size, kernel_size, stride, padding):
    return np.outer(*map(along, input_size, kernel_size, stride, padding))
