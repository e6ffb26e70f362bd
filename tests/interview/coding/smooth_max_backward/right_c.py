"""Windows by a view, and one add.at; the weights and their own derivative."""

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

SEEDS = (11,)


def smooth_max_backward(grad_output, x, beta, kernel_size, stride):
    windows = sliding_window_view(x, (kernel_size, kernel_size))[::stride, ::stride]
    weights = np.exp(beta * (windows - windows.max((-2, -1), keepdims=True)))
    weights /= weights.sum((-2, -1), keepdims=True)
    mean = (weights * windows).sum((-2, -1), keepdims=True)
    parts = weights * (1 + beta * (windows - mean)) * grad_output[..., None, None]
    i, j, a, b = np.indices(parts.shape)
    grad = np.zeros(x.shape)
    np.add.at(grad, (i * stride + a, j * stride + b), parts)
    return grad
