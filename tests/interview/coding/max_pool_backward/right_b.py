"""Windows by a view, and one add.at; the first of ties, channels last."""

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

SEEDS = (5, 10)


def max_pool_backward(grad_output, x, kernel_size, stride):
    windows = sliding_window_view(x, (kernel_size, kernel_size), axis=(1, 2))[:, ::stride, ::stride]
    place = windows.reshape(*windows.shape[:4], -1).argmax(-1)
    n, i, j, c = np.indices(place.shape)
    grad = np.zeros(x.shape)
    np.add.at(grad, (n, i * stride + place // kernel_size, j * stride + place % kernel_size, c), grad_output)
    return grad
