"""The windows lie side by side, whatever the stride."""

import numpy as np

SEEDS = (5, 10)
KNOWN = "max_stride_is_k"


def max_pool_backward(grad_output, x, kernel_size, stride):
    grad = np.zeros(x.shape)
    for n, i, j, c in np.ndindex(grad_output.shape):
        window = x[n, i * kernel_size : (i + 1) * kernel_size, j * kernel_size : (j + 1) * kernel_size, c]
        if window.size:
            a, b = np.unravel_index(window.argmax(), window.shape)
            grad[n, i * kernel_size + a, j * kernel_size + b, c] += grad_output[n, i, j, c]
    return grad
