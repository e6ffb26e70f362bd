"""A later window overwrites what an earlier one sent."""

import numpy as np

SEEDS = (0,)
KNOWN = "max_overwrite"


def max_pool_backward(grad_output, x, kernel_size, stride):
    grad = np.zeros(x.shape)
    for n, i, j, c in np.ndindex(grad_output.shape):
        window = x[n, i * stride : i * stride + kernel_size, j * stride : j * stride + kernel_size, c]
        last = kernel_size * kernel_size - 1 - window[::-1, ::-1].argmax()
        a, b = divmod(last, kernel_size)
        grad[n, i * stride + a, j * stride + b, c] = grad_output[n, i, j, c]
    return grad
