"""A loop that asks every element; bins may overlap."""

import numpy as np

SEEDS = (4, 5)


def bin_bounds(size, bins):
    starts, lengths = [], []
    for i in range(bins):
        held = [place for place in range(size) if (place + 1) * bins > i * size and place * bins < (i + 1) * size]
        starts.append(held[0])
        lengths.append(len(held))
    return np.array(starts), np.array(lengths)
