"""Every channel goes to the first plane."""

import numpy as np

SEEDS = (8,)
KNOWN = "unpool_channel_mix"


def max_unpool(values, indices, output_size):
    output = np.zeros((len(values), *output_size))
    real = indices >= 0
    np.add.at(output.reshape(-1), indices[real], values[real])
    return output
