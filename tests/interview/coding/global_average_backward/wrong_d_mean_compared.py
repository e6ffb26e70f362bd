"""The mean of the gradient is compared with what was sent."""

import numpy as np

SEEDS = (2, 8)
KNOWN = "global_mean_for_sum"


def global_average_backward(grad_output, input_shape, claimed):
    grad = np.ones(input_shape) * grad_output / np.prod(input_shape[2:])
    return grad, claimed.mean((2, 3)) - grad_output[:, :, 0, 0]
