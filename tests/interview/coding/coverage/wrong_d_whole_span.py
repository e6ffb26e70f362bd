"""What lies between the taps is counted too."""

import numpy as np

SEEDS = (5, 10)
KNOWN = "coverage_span"


def along(size, kernel, stride, padding, dilation):
    span = dilation * (kernel - 1) + 1
    counts = np.zeros(size, int)
    for start in range(-padding, size + padding - span + 1, stride):
        counts[max(start, 0) : start + span] += 1
    return counts


def coverage(input_size, kernel_size, stride, padding, dilation):
    return np.outer(*map(along, input_size, kernel_size, stride, padding, dilation))
