"""One pass a tap, over all windows at once; ties share."""

import numpy as np

SEEDS = (11,)


def max_pool_backward(x, grad_output, kernel_size, stride):
    rows, columns = grad_output.shape[2:]
    taps = [(a, b) for a in range(kernel_size) for b in range(kernel_size)]

    def seen(array, a, b):
        return array[:, :, a : a + (rows - 1) * stride + 1 : stride, b : b + (columns - 1) * stride + 1 : stride]

    top = np.max([seen(x, a, b) for a, b in taps], axis=0)
    ties = np.sum([seen(x, a, b) == top for a, b in taps], axis=0)
    grad = np.zeros(x.shape)
    for a, b in taps:
        seen(grad, a, b)[...] += (seen(x, a, b) == top) * grad_output / ties
    return grad
