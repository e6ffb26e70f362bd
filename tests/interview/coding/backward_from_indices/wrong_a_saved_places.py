"""An index array adds repeated places once."""

import numpy as np

SEEDS = (11,)
KNOWN = "indices_assigned"


def backward_from_indices(grad_output, indices, input_shape):
    n, c, h, w = input_shape
    grad = np.zeros((n * c, h * w + 1))
    grad[np.arange(n * c)[:, None], indices.reshape(n * c, -1)] += grad_output.reshape(n * c, -1)
    return grad[:, :-1].reshape(input_shape)
