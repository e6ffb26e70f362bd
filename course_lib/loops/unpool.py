"""Max unpooling as plain loops: the specification. Slow on purpose, and written to be read."""

import numpy as np

from course_lib import arguments
from course_lib.loops.windows import layout


def max_unpool(x, indices, output_shape, *, duplicates="raise", channel_axis=1):
    """Puts each value back where its index says, as `course_lib.max_unpool`."""
    x, indices = (np.moveaxis(array, channel_axis, 1) for array in (x, indices))
    _, first = arguments.channels_first(output_shape, channel_axis)
    y = np.zeros((*first[:2], int(np.prod(first[2:]))), x.dtype)
    taken = set()
    for sample, channel, *element in np.ndindex(x.shape):
        index = int(indices[sample, channel, *element])
        if duplicates == "raise" and (sample, channel, index) in taken:
            raise ValueError(f"indices must not hold an element of a plane twice; got {index} twice.")
        if index >= 0:
            taken.add((sample, channel, index))
            y[sample, channel, index] = x[sample, channel, *element]
    return layout(y.reshape(first), channel_axis)


def max_unpool_backward(grad_output, indices, *, channel_axis=1):
    """Reads the gradient where each value was put and stayed, as `course_lib.max_unpool_backward`."""
    grad_output, indices = (np.moveaxis(array, channel_axis, 1) for array in (grad_output, indices))
    planes = grad_output.reshape(*grad_output.shape[:2], -1)
    grad_input = np.zeros(indices.shape, grad_output.dtype)
    last = {}
    for sample, channel, *element in np.ndindex(indices.shape):
        last[sample, channel, int(indices[sample, channel, *element])] = (sample, channel, *element)
    for (sample, channel, index), element in last.items():
        if index >= 0:
            grad_input[element] = planes[sample, channel, index]
    return layout(grad_input, channel_axis)
