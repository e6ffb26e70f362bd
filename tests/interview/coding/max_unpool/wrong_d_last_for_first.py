"""The last value stays, where the first should."""

import numpy as np

SEEDS = (1, 6, 9)
KNOWN = "unpool_last"


def max_unpool(values, indices, output_size):
    output = np.zeros((*output_size, values.shape[2]))
    for value, index in zip(values.flat, indices.flat, strict=True):
        if index >= 0:
            output.flat[index] = value
    return output
