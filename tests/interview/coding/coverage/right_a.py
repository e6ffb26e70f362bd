"""Every window adds one to what it holds; one axis, taps apart, ceil mode."""

import numpy as np

SEEDS = (1, 6, 9)


def coverage(input_size, kernel_size, stride, padding, dilation):
    counts = np.zeros(input_size, int)
    span = dilation * (kernel_size - 1) + 1
    windows = -(-(input_size + 2 * padding - span) // stride) + 1
    if (windows - 1) * stride >= input_size + padding:
        windows -= 1
    for window in range(windows):
        for tap in range(kernel_size):
            place = window * stride - padding + tap * dilation
            if 0 <= place < input_size:
                counts[place] += 1
    return counts
