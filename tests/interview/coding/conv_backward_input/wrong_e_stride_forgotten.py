"""The windows lie one step apart."""

import numpy as np

SEEDS = (5,)
KNOWN = "conv_stride_ignored"


def conv_backward_input(weight, input_shape, grad_output, stride, padding):
    kh, kw = weight.shape[:2]
    samples, height, width, channels = input_shape
    grad = np.zeros((samples, height + 2 * padding, width + 2 * padding, channels))
    for i, j in np.ndindex(grad_output.shape[1:3]):
        grad[:, i : i + kh, j : j + kw] += np.einsum("no,abco->nabc", grad_output[:, i, j], weight)
    return grad[:, padding : padding + height, padding : padding + width]
