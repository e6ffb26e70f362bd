"""Loops over samples and channels, channels last."""

import numpy as np

SEEDS = (1, 6)


def global_average_backward(claimed, grad_output, input_shape):
    samples, height, width, channels = input_shape
    grad, excess = np.zeros(input_shape), np.zeros((samples, channels))
    for n in range(samples):
        for c in range(channels):
            grad[n, :, :, c] += grad_output[n, c] / height / width
            for row in claimed[n, :, :, c]:
                excess[n, c] += sum(row)
            excess[n, c] -= grad_output[n, c]
    return grad, excess
