"""Taps stand side by side, and the count of windows knows of dilation."""

import numpy as np

SEEDS = (10,)


def im2col(x, kernel_size, stride, padding, dilation):
    padded = np.pad(x, ((0, 0), (padding, padding), (padding, padding)))
    reach = dilation * (kernel_size - 1)
    lines = []
    for top in range(0, padded.shape[1] - reach, stride):
        for left in range(0, padded.shape[2] - reach, stride):
            window = padded[:, top : top + kernel_size, left : left + kernel_size]
            lines.append(window.transpose(1, 2, 0).ravel())
    return np.array(lines).T
