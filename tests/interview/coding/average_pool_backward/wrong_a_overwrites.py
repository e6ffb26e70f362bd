"""A later window overwrites what an earlier one sent."""

import numpy as np

SEEDS = (2, 3)
KNOWN = "avg_overwrite"


def avg_pool_backward(grad_output, input_shape, kernel_size, stride, padding):
    k, s, p = kernel_size, stride, padding
    grad = np.zeros((*input_shape[:2], input_shape[2] + 2 * p, input_shape[3] + 2 * p))
    for i in range(grad_output.shape[2]):
        for j in range(grad_output.shape[3]):
            share = grad_output[:, :, i, j] / k**2
            grad[:, :, i * s : i * s + k, j * s : j * s + k] = share[:, :, None, None]
    return grad[:, :, p : p + input_shape[2], p : p + input_shape[3]]
