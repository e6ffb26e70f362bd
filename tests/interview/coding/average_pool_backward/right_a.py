"""Loops over windows and taps; padding does not count, and the samples stand last."""

import numpy as np

SEEDS = (0,)


def avg_pool_backward(grad_output, input_shape, kernel_size, stride, padding):
    grad = np.zeros(input_shape)
    height, width = input_shape[1:3]
    for i in range(grad_output.shape[1]):
        for j in range(grad_output.shape[2]):
            rows = range(max(i * stride - padding, 0), min(i * stride - padding + kernel_size, height))
            columns = range(max(j * stride - padding, 0), min(j * stride - padding + kernel_size, width))
            for row in rows:
                for column in columns:
                    grad[:, row, column] += grad_output[:, i, j] / (len(rows) * len(columns))
    return grad
