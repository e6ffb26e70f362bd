"""The outer loop goes over columns."""

import numpy as np

SEEDS = (2, 3)
KNOWN = "columns_windows_by_column"


def im2col(x, kernel_size, stride, padding):
    padded = np.pad(x, ((0, 0), (padding, padding), (padding, padding)))
    lines = []
    for left in range(0, padded.shape[2] - kernel_size + 1, stride):
        for top in range(0, padded.shape[1] - kernel_size + 1, stride):
            window = padded[:, top : top + kernel_size, left : left + kernel_size]
            lines.append(window.transpose(1, 2, 0).ravel())
    return np.array(lines)
