"""Loops over windows and taps; a row for each window, taps first."""

import numpy as np

SEEDS = (2, 3)


def im2col(x, kernel_size, stride, padding):
    channels, height, width = x.shape
    rows = []
    for top in range(-padding, height + padding - kernel_size + 1, stride):
        for left in range(-padding, width + padding - kernel_size + 1, stride):
            row = []
            for i in range(top, top + kernel_size):
                for j in range(left, left + kernel_size):
                    inside = 0 <= i < height and 0 <= j < width
                    row += [x[c, i, j] if inside else 0.0 for c in range(channels)]
            rows.append(row)
    return np.array(rows)
