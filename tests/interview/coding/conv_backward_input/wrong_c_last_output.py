"""The part of each output replaces that of the one before."""

import numpy as np

SEEDS = (3, 8)
KNOWN = "conv_dA_last_q"


def conv_backward_input(grad_output, weight, input_shape, stride, padding):
    kh, kw = weight.shape[:2]
    samples, height, width, channels = input_shape
    for output in range(weight.shape[3]):
        grad = np.zeros((samples, height + 2 * padding, width + 2 * padding, channels))
        for i, j in np.ndindex(grad_output.shape[1:3]):
            part = np.einsum("n,abc->nabc", grad_output[:, i, j, output], weight[..., output])
            grad[:, i * stride : i * stride + kh, j * stride : j * stride + kw] += part
    return grad[:, padding : padding + height, padding : padding + width]
