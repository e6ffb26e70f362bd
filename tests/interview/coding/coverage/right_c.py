"""A table of elements and windows, asked for each pair."""

import numpy as np

SEEDS = (5, 10)


def along(size, kernel, stride, padding, dilation):
    windows = (size + 2 * padding - dilation * (kernel - 1) - 1) // stride + 1
    distance = np.arange(size)[:, None] + padding - stride * np.arange(windows)
    return ((distance >= 0) & (distance % dilation == 0) & (distance // dilation < kernel)).sum(1)


def coverage(input_size, kernel_size, stride, padding, dilation):
    rows, columns = map(along, input_size, kernel_size, stride, padding, dilation)
    return rows[:, None] * columns
