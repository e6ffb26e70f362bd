"""The index in the padded plane is used in the plane without padding."""

import numpy as np

SEEDS = (1, 9)
KNOWN = "indices_as_plane"


def backward_from_indices(input_shape, grad_output, indices, padding):
    grad = np.zeros(input_shape)
    size = input_shape[2] * input_shape[3]
    for n, c, i, j in np.ndindex(grad_output.shape):
        if 0 <= indices[n, c, i, j] < size:
            grad[n, c].reshape(-1)[indices[n, c, i, j]] += grad_output[n, c, i, j]
    return grad
