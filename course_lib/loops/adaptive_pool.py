"""Adaptive and global pooling as plain loops: the specification. Slow on purpose, and written to be read."""

from itertools import product

import numpy as np

from course_lib import arguments, geometry
from course_lib.loops.max_pool import max_pool_backward
from course_lib.loops.windows import layout


def adaptive_max_pool(x, output_size, *, return_indices=False, channel_axis=1):
    """The largest element of each bin, as `course_lib.adaptive_max_pool`."""
    x, outputs = _image(x, output_size, channel_axis)
    y, indices = np.zeros(outputs, x.dtype), np.zeros(outputs, np.int64)
    for sample, channel, *number in np.ndindex(y.shape):
        best = winner(x[sample, channel], bin_elements(x.shape[2:], y.shape[2:], number))
        y[sample, channel, *number] = x[sample, channel, *best]
        indices[sample, channel, *number] = np.ravel_multi_index(best, x.shape[2:])
    y, indices = layout(y, channel_axis), layout(indices, channel_axis)
    return (y, indices) if return_indices else y


def adaptive_max_pool_backward(grad_output, indices, input_shape, *, channel_axis=1):
    """Adds each upstream gradient at the winner of its bin, as `course_lib.adaptive_max_pool_backward`."""
    return max_pool_backward(grad_output, indices, input_shape, channel_axis=channel_axis)


def adaptive_avg_pool(x, output_size, *, channel_axis=1):
    """The mean of each bin, as `course_lib.adaptive_avg_pool`."""
    x, outputs = _image(x, output_size, channel_axis)
    y = np.zeros(outputs, np.float64)
    for sample, channel, *number in np.ndindex(y.shape):
        elements = bin_elements(x.shape[2:], y.shape[2:], number)
        y[sample, channel, *number] = sum(float(x[sample, channel, *element]) for element in elements) / len(elements)
    return layout(y.astype(x.dtype), channel_axis)


def adaptive_avg_pool_backward(grad_output, input_shape, *, channel_axis=1):
    """Gives each element of a bin its share of the gradient, as `course_lib.adaptive_avg_pool_backward`."""
    grad_output = np.moveaxis(grad_output, channel_axis, 1)
    _, first = arguments.channels_first(input_shape, channel_axis)
    grad_input = np.zeros(first, np.float64)
    for sample, channel, *number in np.ndindex(grad_output.shape):
        elements = bin_elements(first[2:], grad_output.shape[2:], number)
        for element in elements:
            grad_input[sample, channel, *element] += grad_output[sample, channel, *number] / len(elements)
    return layout(grad_input.astype(grad_output.dtype), channel_axis)


def global_max_pool(x, *, return_indices=False, channel_axis=1):
    """The largest element of each plane, as `course_lib.global_max_pool`."""
    return adaptive_max_pool(x, 1, return_indices=return_indices, channel_axis=channel_axis)


def global_avg_pool(x, *, channel_axis=1):
    """The mean of each plane, as `course_lib.global_avg_pool`."""
    return adaptive_avg_pool(x, 1, channel_axis=channel_axis)


def bin_elements(sizes, outputs, number):
    """The elements of one bin in row-major order; along an axis it runs from floor(i·n/o) up to ceil((i+1)·n/o)."""
    bins = [geometry.adaptive_windows(n, o) for n, o in zip(sizes, outputs, strict=True)]
    return list(product(*(range(starts[i], stops[i]) for (starts, stops), i in zip(bins, number, strict=True))))


def winner(plane, elements):
    """The element of a plane that wins over the others: first of equals, last of NaNs."""
    best = elements[0]
    for element in elements:
        if plane[element] > plane[best] or plane[element] != plane[element]:
            best = element
    return best


def _image(x, output_size, channel_axis):
    """The input as (N, C, *spatial), and the shape of the output."""
    axis, first = arguments.image_batch("x", x.shape, channel_axis)
    outputs = arguments.bin_counts(output_size, first[2:])
    return np.moveaxis(x, axis, 1), (*first[:2], *outputs)
