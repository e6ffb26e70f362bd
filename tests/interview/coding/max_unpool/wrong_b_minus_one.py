"""-1 writes to the last element."""

import numpy as np

SEEDS = (11,)
KNOWN = "unpool_minus_one"


def max_unpool(values, indices, output_size):
    output = np.zeros((len(values), *output_size))
    for channel, plane in enumerate(output):
        size = plane.size
        for value, index in zip(values[channel].flat, indices[channel].flat, strict=True):
            plane.flat[index - channel * size if index >= 0 else -1] = value
    return output
