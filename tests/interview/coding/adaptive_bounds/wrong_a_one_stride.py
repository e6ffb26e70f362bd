"""A stride of size // bins, and one kernel for all."""

import numpy as np

SEEDS = (2, 3)
KNOWN = "bins_of_one_length"


def bin_bounds(size, bins):
    stride = size // bins
    starts = np.arange(bins) * stride
    return starts, starts + size - (bins - 1) * stride
