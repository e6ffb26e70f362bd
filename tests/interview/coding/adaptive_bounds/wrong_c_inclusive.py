"""The last element, where the position behind it is asked for."""

import numpy as np

SEEDS = (2, 3, 8)
KNOWN = "bins_other_end"


def bin_bounds(size, bins):
    i = np.arange(bins)
    return i * size // bins, -(-(i + 1) * size // bins) - 1
