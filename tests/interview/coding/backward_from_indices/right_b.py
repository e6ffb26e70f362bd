"""One bincount over all planes; flat indices in the plane."""

import numpy as np

SEEDS = (11,)


def backward_from_indices(grad_output, indices, input_shape):
    plane = input_shape[2] * input_shape[3]
    start = np.arange(input_shape[0] * input_shape[1]).reshape(*input_shape[:2], 1, 1) * plane
    real = indices >= 0
    places = (indices + start)[real]
    return np.bincount(places, grad_output[real], np.prod(input_shape)).reshape(input_shape)
