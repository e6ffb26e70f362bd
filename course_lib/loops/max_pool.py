"""Max pooling as plain loops: the specification. Slow on purpose, and written to be read."""

from itertools import product

import numpy as np

from course_lib import arguments
from course_lib.loops.windows import image, layout, plane_position, real_taps, zeros


def max_pool(x, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, *, return_indices=False,
             channel_axis=1):  # fmt: skip
    """The largest element of each window, as `course_lib.max_pool`."""
    x, axes, back = image(x, kernel_size, stride, padding, dilation, ceil_mode, channel_axis)
    y, indices = (zeros(x, axes, dtype) for dtype in (x.dtype, np.int64))
    for output in np.ndindex(y.shape):
        y[output], indices[output] = winner(x, axes, output)
    return (back(y), back(indices)) if return_indices else back(y)


def winner(x, axes, output):
    """Value and flat position of one window's winner: first of equals, last of NaNs; −1 if no tap is real."""
    sample, channel, *window = output
    best = -np.inf if x.dtype.kind == "f" else np.iinfo(x.dtype).min
    index = -1
    for element in real_taps(axes, window):
        value = x[sample, channel, *element]
        if index == -1 or value > best or value != value:
            best, index = value, plane_position(axes, element)
    return best, index


def max_pool_backward(grad_output, indices, input_shape, *, channel_axis=1):
    """Adds each upstream gradient at the winner of its window, as `course_lib.max_pool_backward`."""
    grad_output, indices = (np.moveaxis(array, channel_axis, 1) for array in (grad_output, indices))
    _, first = arguments.channels_first(input_shape, channel_axis)
    grad_input = np.zeros((*first[:2], int(np.prod(first[2:]))), np.float64)
    for sample, channel, *window in product(*map(range, grad_output.shape)):
        index = indices[sample, channel, *window]
        if index >= 0:
            grad_input[sample, channel, index] += grad_output[sample, channel, *window]
    return layout(grad_input.reshape(first).astype(grad_output.dtype), channel_axis)
