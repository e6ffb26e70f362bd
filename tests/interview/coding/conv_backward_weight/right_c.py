"""One matrix product a tap; taps lie apart, and channels last."""

import numpy as np

SEEDS = (0,)


def conv_backward_weight(grad_output, x, kernel_size, stride, padding, dilation):
    rows, columns = grad_output.shape[1:3]
    padded = np.pad(x, [(0, 0), (padding, padding), (padding, padding), (0, 0)])
    sent = grad_output.reshape(-1, grad_output.shape[3])
    grad = np.empty((*kernel_size, x.shape[3], sent.shape[1]))
    for a, b in np.ndindex(*kernel_size):
        top, left = a * dilation, b * dilation
        seen = padded[:, top : top + rows * stride : stride, left : left + columns * stride : stride]
        grad[a, b] = seen[:, :rows, :columns].reshape(len(sent), -1).T @ sent
    return grad
