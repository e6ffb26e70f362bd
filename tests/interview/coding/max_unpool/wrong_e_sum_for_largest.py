"""Repeated values are added, where the largest should stay."""

import numpy as np

SEEDS = (2, 3)
KNOWN = "unpool_sum"


def max_unpool(values, indices, output_size):
    output = np.zeros((len(values), output_size[0] * output_size[1]))
    for channel, row, column in np.ndindex(values.shape):
        if indices[channel, row, column] >= 0:
            output[channel, indices[channel, row, column]] += values[channel, row, column]
    return output.reshape(-1, *output_size)
