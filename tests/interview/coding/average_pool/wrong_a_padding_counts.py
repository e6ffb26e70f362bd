"""The mean of the padded input, where padding should not count."""

import numpy as np

SEEDS = (0, 6)
KNOWN = "avg_pad_always_counts"


def avg_pool(x, kernel_size, stride, padding):
    padded = np.pad(x, padding)
    return np.array([padded[i : i + kernel_size].mean() for i in range(0, len(padded) - kernel_size + 1, stride)])
