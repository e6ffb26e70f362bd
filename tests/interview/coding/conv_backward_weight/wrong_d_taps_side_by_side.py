"""The dilation is left out."""

import numpy as np

SEEDS = (0,)
KNOWN = "conv_dilation_ignored"


def conv_backward_weight(grad_output, x, kernel_size, stride, padding, dilation):
    rows, columns = grad_output.shape[1:3]
    padded = np.pad(x, [(0, 0), (padding, padding), (padding, padding), (0, 0)])
    grad = np.empty((*kernel_size, x.shape[3], grad_output.shape[3]))
    for a, b in np.ndindex(*kernel_size):
        seen = padded[:, a : a + rows * stride : stride, b : b + columns * stride : stride]
        grad[a, b] = np.einsum("nijc,nijo->co", seen[:, :rows, :columns], grad_output)
    return grad
