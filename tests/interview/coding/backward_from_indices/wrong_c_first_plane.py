"""An index counts in its plane, and is used in the whole gradient."""

import numpy as np

SEEDS = (11,)
KNOWN = "indices_one_plane"


def backward_from_indices(grad_output, indices, input_shape):
    grad = np.zeros(int(np.prod(input_shape)))
    real = indices >= 0
    np.add.at(grad, indices[real], grad_output[real])
    return grad.reshape(input_shape)
