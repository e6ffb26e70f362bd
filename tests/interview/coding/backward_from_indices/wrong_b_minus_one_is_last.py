"""Index -1 counts from the end."""

import numpy as np

SEEDS = (11,)
KNOWN = "indices_minus_one"


def backward_from_indices(grad_output, indices, input_shape):
    n, c, h, w = input_shape
    grad = np.zeros((n * c, h * w))
    np.add.at(grad, (np.arange(n * c)[:, None], indices.reshape(n * c, -1)), grad_output.reshape(n * c, -1))
    return grad.reshape(input_shape)
