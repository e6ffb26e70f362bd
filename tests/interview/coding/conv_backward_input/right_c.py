"""A full convolution with the turned kernel, gaps in the upstream gradient; taps lie apart."""

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

SEEDS = (6,)


def conv_backward_input(weight, input_shape, grad_output, stride, padding, dilation):
    height, width = (size + 2 * padding for size in input_shape[2:])
    kh, kw = ((side - 1) * dilation + 1 for side in weight.shape[2:])
    kernel = np.zeros((*weight.shape[:2], kh, kw))
    kernel[:, :, ::dilation, ::dilation] = weight
    sent = np.zeros((*grad_output.shape[:2], height + kh - 1, width + kw - 1))
    rows, columns = grad_output.shape[2:]
    sent[:, :, kh - 1 : kh + (rows - 1) * stride : stride, kw - 1 : kw + (columns - 1) * stride : stride] = grad_output
    windows = sliding_window_view(sent, (kh, kw), axis=(2, 3))
    grad = np.einsum("noijab,ocab->ncij", windows, kernel[:, :, ::-1, ::-1])
    return grad[:, :, padding : padding + input_shape[2], padding : padding + input_shape[3]]
