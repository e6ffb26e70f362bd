"""A full convolution with the kernel as it stands."""

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

SEEDS = (2, 8)
KNOWN = "conv_flip_dA"


def conv_backward_input(grad_output, weight, input_shape, stride, padding):
    kh, kw, height, width = *weight.shape[:2], input_shape[1] + 2 * padding, input_shape[2] + 2 * padding
    samples, rows, columns, outputs = grad_output.shape
    sent = np.zeros((samples, height + kh - 1, width + kw - 1, outputs))
    sent[:, kh - 1 : kh + (rows - 1) * stride : stride, kw - 1 : kw + (columns - 1) * stride : stride] = grad_output
    grad = np.einsum("nijoab,abco->nijc", sliding_window_view(sent, (kh, kw), axis=(1, 2)), weight)
    return grad[:, padding : padding + input_shape[1], padding : padding + input_shape[2]]
