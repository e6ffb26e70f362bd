"""One pass a tap into the padded gradient, which is cut at the end; padding counts."""

import numpy as np

SEEDS = (2, 3)


def avg_pool_backward(grad_output, input_shape, kernel_size, stride, padding):
    k, s, p = kernel_size, stride, padding
    rows, columns = grad_output.shape[2:]
    grad = np.zeros((*input_shape[:2], input_shape[2] + 2 * p, input_shape[3] + 2 * p))
    for a in range(k):
        for b in range(k):
            grad[:, :, a : a + rows * s - s + 1 : s, b : b + columns * s - s + 1 : s] += grad_output / k**2
    return grad[:, :, p : p + input_shape[2], p : p + input_shape[3]]
