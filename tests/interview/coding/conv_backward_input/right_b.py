"""One pass a tap into the padded gradient, for each group."""

import numpy as np

SEEDS = (1, 9)


def conv_backward_input(weight, input_shape, grad_output, stride, padding, groups):
    samples, channels, height, width = input_shape
    rows, columns = grad_output.shape[2:]
    grad = np.zeros((samples, channels, height + 2 * padding, width + 2 * padding))
    inputs, outputs = channels // groups, len(weight) // groups
    for group in range(groups):
        mine = slice(group * inputs, (group + 1) * inputs)
        theirs = slice(group * outputs, (group + 1) * outputs)
        for a, b in np.ndindex(weight.shape[2:]):
            part = np.einsum("noij,oc->ncij", grad_output[:, theirs], weight[theirs, :, a, b])
            down, right = (
                slice(a, a + (rows - 1) * stride + 1, stride),
                slice(b, b + (columns - 1) * stride + 1, stride),
            )
            grad[:, mine, down, right] += part
    return grad[:, :, padding : padding + height, padding : padding + width]
