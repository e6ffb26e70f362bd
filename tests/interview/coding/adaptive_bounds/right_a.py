"""Whole numbers, all bins at once; the position of the last element."""

import numpy as np

SEEDS = (0, 7)


def bin_bounds(size, bins):
    i = np.arange(bins)
    return i * size // bins, -(-(i + 1) * size // bins) - 1
