"""A later window overwrites what an earlier one sent."""

import numpy as np

SEEDS = (2, 3)
KNOWN = "conv_dA_overwrite"


def conv_backward_input(grad_output, weight, input_shape, stride, padding):
    kh, kw = weight.shape[:2]
    samples, height, width, channels = input_shape
    grad = np.zeros((samples, height + 2 * padding, width + 2 * padding, channels))
    for i, j in np.ndindex(grad_output.shape[1:3]):
        part = np.einsum("no,abco->nabc", grad_output[:, i, j], weight)
        grad[:, i * stride : i * stride + kh, j * stride : j * stride + kw] = part
    return grad[:, padding : padding + height, padding : padding + width]
