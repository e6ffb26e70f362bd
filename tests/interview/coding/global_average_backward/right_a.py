"""A broadcast over the plane; channels second."""

import numpy as np

SEEDS = (2, 3, 8)


def global_average_backward(grad_output, input_shape, claimed):
    height, width = input_shape[2:]
    grad = np.broadcast_to(grad_output / (height * width), input_shape).copy()
    return grad, claimed.sum((2, 3)) - grad_output[:, :, 0, 0]
