"""A later window overwrites what an earlier one sent."""

import numpy as np

SEEDS = (6,)
KNOWN = "split_overwrite"


def max_pool_backward(grad_output, x, kernel_size, stride, padding):
    values = np.pad(x, padding, constant_values=-np.inf)
    grad = np.zeros(values.shape)
    for i, sent in enumerate(grad_output):
        window = values[i * stride : i * stride + kernel_size]
        tied = i * stride + np.flatnonzero(window >= window.max() - 0.5)
        grad[tied] = sent / len(tied)
    return grad[padding : padding + len(x)]
