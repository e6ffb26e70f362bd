"""The taps are counted although a divisor is given."""

import numpy as np

SEEDS = (9,)
KNOWN = "avg_override_ignored"


def avg_pool_backward(grad_output, input_shape, kernel_size, stride, padding):
    grad = np.zeros(input_shape)
    for i, j in np.ndindex(grad_output.shape):
        r, c = i * stride - padding, j * stride - padding
        where = slice(max(r, 0), r + kernel_size), slice(max(c, 0), c + kernel_size)
        grad[where] += grad_output[i, j] / grad[where].size
    return grad
