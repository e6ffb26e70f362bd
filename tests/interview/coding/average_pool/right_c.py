"""Differences of a running sum along a row."""

import numpy as np

SEEDS = (0, 6)


def avg_pool(x, kernel_size, stride, padding):
    total = np.concatenate([[0.0], np.cumsum(x)])
    starts = np.arange(0, len(x) + 2 * padding - kernel_size + 1, stride) - padding
    low, high = np.maximum(starts, 0), np.minimum(starts + kernel_size, len(x))
    return (total[high] - total[low]) / (high - low)
