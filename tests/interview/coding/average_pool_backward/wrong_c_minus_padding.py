"""The padding is cut off from p to -p, which is empty where p is 0."""

import numpy as np

SEEDS = (8,)
KNOWN = "avg_crop_empty"


def avg_pool_backward(input_shape, grad_output, kernel_size, stride, padding):
    k, s, p = kernel_size, stride, padding
    grad = np.zeros((*input_shape[:2], input_shape[2] + 2 * p, input_shape[3] + 2 * p))
    for i in range(grad_output.shape[2]):
        for j in range(grad_output.shape[3]):
            grad[:, :, i * s : i * s + k, j * s : j * s + k] += grad_output[:, :, i, j, None, None] / k**2
    return grad[:, :, p:-p, p:-p]
