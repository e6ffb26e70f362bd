"""Convolution and its transpose as plain loops: the specification. Slow on purpose, and written to be read."""

import numpy as np

from course_lib import arguments
from course_lib.loops.windows import layout, taps


def conv(x, weight, bias=None, stride=1, padding=0, dilation=1, groups=1, *, channel_axis=1):
    """Every window times the weights, summed, as `course_lib.conv`."""
    x, axes = _image(x, weight, stride, padding, dilation, groups, channel_axis)
    y = np.zeros((len(x), len(weight), *(axis.output for axis in axes)), np.float64)
    for sample, output, *window in np.ndindex(y.shape):
        total = 0.0 if bias is None else float(bias[output])
        for channel, tap, element in terms(weight, output, axes, window, groups):
            total += float(weight[output, channel % weight.shape[1], *tap]) * value(x[sample, channel], element)
        y[sample, output, *window] = total
    return layout(y.astype(x.dtype), channel_axis)


def conv_backward(grad_output, x, weight, stride=1, padding=0, dilation=1, groups=1, *, channel_axis=1):
    """The gradients of input, weight and bias, as `course_lib.conv_backward`."""
    x, axes = _image(x, weight, stride, padding, dilation, groups, channel_axis)
    grad_output = np.moveaxis(grad_output, channel_axis, 1)
    grad_input, grad_weight, grad_bias = (np.zeros(shape) for shape in (x.shape, weight.shape, len(weight)))
    for sample, output, *window in np.ndindex(grad_output.shape):
        gradient = float(grad_output[sample, output, *window])
        grad_bias[output] += gradient
        for channel, tap, element in terms(weight, output, axes, window, groups):
            if is_real(x, element):
                at = (output, channel % weight.shape[1], *tap)
                grad_input[sample, channel, *element] += gradient * float(weight[at])
                grad_weight[at] += gradient * float(x[sample, channel, *element])
    gradients = layout(grad_input, channel_axis), grad_weight, grad_bias
    return tuple(gradient.astype(grad_output.dtype) for gradient in gradients)


def conv_transpose(x, weight, bias=None, stride=1, padding=0, output_padding=0, dilation=1, groups=1, *,
                   channel_axis=1):  # fmt: skip
    """Adds the weights, times each element, into that element's window, as `course_lib.conv_transpose`."""
    x, axes = _small_image(x, weight, stride, padding, output_padding, dilation, groups, channel_axis)
    outputs = weight.shape[1] * groups
    y = np.zeros((len(x), outputs, *(axis.size for axis in axes)), np.float64)
    for sample, channel, *window in np.ndindex(x.shape):
        for output, tap, element in terms(weight, channel, axes, window, groups):
            if is_real(y, element):
                factor = float(weight[channel, output % weight.shape[1], *tap])
                y[sample, output, *element] += factor * float(x[sample, channel, *window])
    if bias is not None:
        y += bias.astype(np.float64).reshape(-1, *[1] * len(axes))
    return layout(y.astype(x.dtype), channel_axis)


def conv_transpose_backward(grad_output, x, weight, stride=1, padding=0, output_padding=0, dilation=1, groups=1, *,
                            channel_axis=1):  # fmt: skip
    """The gradients of input, weight and bias, as `course_lib.conv_transpose_backward`."""
    x, axes = _small_image(x, weight, stride, padding, output_padding, dilation, groups, channel_axis)
    grad_output = np.moveaxis(grad_output, channel_axis, 1)
    grad_input, grad_weight = np.zeros(x.shape), np.zeros(weight.shape)
    for sample, channel, *window in np.ndindex(x.shape):
        for output, tap, element in terms(weight, channel, axes, window, groups):
            if is_real(grad_output, element):
                at = (channel, output % weight.shape[1], *tap)
                gradient = float(grad_output[sample, output, *element])
                grad_input[sample, channel, *window] += gradient * float(weight[at])
                grad_weight[at] += gradient * float(x[sample, channel, *window])
    grad_bias = grad_output.astype(np.float64).sum(axis=(0, *range(2, x.ndim)))
    gradients = layout(grad_input, channel_axis), grad_weight, grad_bias
    return tuple(gradient.astype(grad_output.dtype) for gradient in gradients)


def terms(weight, row, axes, window, groups):
    """For one window and one row of the weights: each channel of its group, each tap, and where the tap reads."""
    group = row // (len(weight) // groups)
    for channel in range(group * weight.shape[1], (group + 1) * weight.shape[1]):
        for tap, element in zip(np.ndindex(weight.shape[2:]), taps(axes, window), strict=True):
            yield channel, tap, element


def is_real(planes, element):
    """Whether a position lies on the planes; else it is padding."""
    return all(0 <= position < size for position, size in zip(element, planes.shape[2:], strict=True))


def value(plane, element):
    """What one tap reads: padding counts as 0."""
    real = all(0 <= position < size for position, size in zip(element, plane.shape, strict=True))
    return float(plane[element]) if real else 0.0


def _image(x, weight, stride, padding, dilation, groups, channel_axis):
    """The input as (N, C, *spatial), and its windows."""
    axis, first = arguments.image_batch("x", x.shape, channel_axis, weight.ndim - 2)
    arguments.conv_weight(weight.shape, first, groups)
    return np.moveaxis(x, axis, 1), arguments.conv_axes(first[2:], weight.shape, stride, padding, dilation)


def _small_image(x, weight, stride, padding, output_padding, dilation, groups, channel_axis):
    """The input of a transposed convolution as (N, C, *spatial), and the windows that it has in the output."""
    axis, first = arguments.image_batch("x", x.shape, channel_axis, weight.ndim - 2)
    arguments.conv_transpose_weight(weight.shape, first, groups)
    axes = arguments.conv_transpose_axes(first[2:], weight.shape, stride, padding, output_padding, dilation)
    return np.moveaxis(x, axis, 1), axes
