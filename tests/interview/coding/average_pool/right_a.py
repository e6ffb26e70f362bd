"""Loops over one plane; padding counts, or one divisor for all; with ceil mode or without."""

import math

import numpy as np

SEEDS = (8,)


def avg_pool(x, kernel_size, stride, padding):
    counts = []
    for size in x.shape:
        count = math.ceil((size + 2 * padding - kernel_size) / stride) + 1
        counts.append(count - 1 if (count - 1) * stride - padding >= size else count)
    y = np.zeros(counts)
    for i, j in np.ndindex(*counts):
        total, taps = 0.0, 0
        for row in range(i * stride - padding, i * stride - padding + kernel_size):
            for column in range(j * stride - padding, j * stride - padding + kernel_size):
                if 0 <= row < x.shape[0] and 0 <= column < x.shape[1]:
                    total += x[row, column]
                if row < x.shape[0] + padding and column < x.shape[1] + padding:
                    taps += 1
        y[i, j] = total / taps
    return y
