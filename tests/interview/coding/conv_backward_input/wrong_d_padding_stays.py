"""The gradient has the shape of the padded input."""

import numpy as np

SEEDS = (5, 10)
KNOWN = "conv_no_crop"


def conv_backward_input(weight, input_shape, grad_output, stride, padding):
    kh, kw = weight.shape[:2]
    samples, height, width, channels = input_shape
    grad = np.zeros((samples, height + 2 * padding, width + 2 * padding, channels))
    for i, j in np.ndindex(grad_output.shape[1:3]):
        part = np.einsum("no,abco->nabc", grad_output[:, i, j], weight)
        grad[:, i * stride : i * stride + kh, j * stride : j * stride + kw] += part
    return grad
