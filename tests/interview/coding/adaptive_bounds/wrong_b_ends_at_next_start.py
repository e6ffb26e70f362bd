"""A bin ends where the next begins."""

import numpy as np

SEEDS = (4, 5)
KNOWN = "bins_end_at_next_start"


def bin_bounds(size, bins):
    bounds = np.arange(bins + 1) * size // bins
    return bounds[:-1], np.diff(bounds)
