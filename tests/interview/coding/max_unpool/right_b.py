"""Sorted by value, so that the largest is written last; channels last."""

import numpy as np

SEEDS = (0, 7)


def max_unpool(values, indices, output_size):
    output = np.zeros((*output_size, values.shape[2]))
    order = np.argsort(values, axis=None)
    order = order[indices.ravel()[order] >= 0]
    output.ravel()[indices.ravel()[order]] = values.ravel()[order]
    return output
