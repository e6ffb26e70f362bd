"""Floats, rounded to the nearest."""

import numpy as np

SEEDS = (0, 7)
KNOWN = "bins_rounded"


def bin_bounds(size, bins):
    bounds = np.round(np.linspace(0, size, bins + 1)).astype(int)
    return bounds[:-1], bounds[1:] - 1
