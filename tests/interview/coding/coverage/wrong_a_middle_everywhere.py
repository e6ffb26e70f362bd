"""The number of windows in the middle, for every element."""

import numpy as np

SEEDS = (2, 3)
KNOWN = "coverage_at_border"


def coverage(input_size, kernel_size, stride, padding):
    return np.full(input_size, np.prod([-(-k // s) for k, s in zip(kernel_size, stride, strict=True)]))
