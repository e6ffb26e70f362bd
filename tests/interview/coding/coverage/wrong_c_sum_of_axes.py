"""The counts of rows and columns are added."""

import numpy as np

SEEDS = (3,)
KNOWN = "coverage_added"


def along(size, kernel, stride, padding):
    counts = np.zeros(size, int)
    for start in range(-padding, size + padding - kernel + 1, stride):
        counts[max(start, 0) : start + kernel] += 1
    return counts


def coverage(input_size, kernel_size, stride, padding):
    rows, columns = map(along, input_size, kernel_size, stride, padding)
    return rows[:, None] + columns[None]
