"""The longer bins come last, where they should come first."""

import numpy as np

SEEDS = (11,)
KNOWN = "bins_long_last"


def bin_bounds(size, bins):
    short, longer = divmod(size, bins)
    lengths = np.array([short] * (bins - longer) + [short + 1] * longer)
    ends = lengths.cumsum()
    return ends - lengths, ends
