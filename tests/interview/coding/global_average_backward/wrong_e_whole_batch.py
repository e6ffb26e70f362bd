"""The gradient is divided by the number of samples too."""

import numpy as np

SEEDS = (1, 6)
KNOWN = "global_over_the_batch"


def global_average_backward(claimed, grad_output, input_shape):
    samples, height, width, _ = input_shape
    grad = np.ones(input_shape) * grad_output[:, None, None] / (samples * height * width)
    return grad, claimed.sum((1, 2)) - grad_output
