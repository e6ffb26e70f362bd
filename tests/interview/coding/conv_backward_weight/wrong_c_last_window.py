"""Each position replaces the one before."""

import numpy as np

SEEDS = (8,)
KNOWN = "conv_dW_one_window"


def conv_backward_weight(x, grad_output, kernel_size, stride, padding):
    kh, kw = kernel_size
    padded = np.pad(x, [(0, 0), (padding, padding), (padding, padding), (0, 0)])
    for i, j in np.ndindex(grad_output.shape[1:3]):
        window = padded[:, i * stride : i * stride + kh, j * stride : j * stride + kw]
        grad = np.einsum("nabc,no->abco", window, grad_output[:, i, j])
    return grad
