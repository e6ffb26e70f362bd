"""Every element gets the whole gradient."""

import numpy as np

SEEDS = (2, 3)
KNOWN = "global_not_divided"


def global_average_backward(grad_output, input_shape, claimed):
    return np.zeros(input_shape) + grad_output, claimed.sum((2, 3)) - grad_output[:, :, 0, 0]
