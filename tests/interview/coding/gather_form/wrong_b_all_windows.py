"""Compares all windows with the element: right, and a scan of the whole output for each element."""

import numpy as np

SEEDS = (3,)


def gradient_of(place, grad_output, indices, input_size, kernel_size, stride, padding):
    return np.sum(grad_output * (indices == place[0] * input_size[1] + place[1]))
