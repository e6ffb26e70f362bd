"""Adds into the padded gradient with add.at, with one place more for -1, and cuts the padding off."""

import numpy as np

SEEDS = (1, 6, 9)


def backward_from_indices(input_shape, grad_output, indices, padding):
    n, c, h, w = input_shape
    tall, wide = h + 2 * padding, w + 2 * padding
    grad = np.zeros((n * c, tall * wide + 1))
    np.add.at(grad, (np.arange(n * c)[:, None], indices.reshape(n * c, -1)), grad_output.reshape(n * c, -1))
    whole = grad[:, :-1].reshape(n, c, tall, wide)
    return whole[:, :, padding : padding + h, padding : padding + w]
