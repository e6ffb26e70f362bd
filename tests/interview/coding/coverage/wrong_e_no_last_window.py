"""The window that overhangs is missing."""

import numpy as np

SEEDS = (1, 9)
KNOWN = "coverage_last_window"


def coverage(input_size, kernel_size, stride, padding, dilation):
    counts = np.zeros(input_size, int)
    for start in range(-padding, input_size + padding - dilation * (kernel_size - 1), stride):
        for tap in range(kernel_size):
            if 0 <= start + tap * dilation < input_size:
                counts[start + tap * dilation] += 1
    return counts
