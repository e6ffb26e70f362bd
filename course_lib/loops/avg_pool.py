"""Average pooling as plain loops: the specification. Slow on purpose, and written to be read."""

import numpy as np

from course_lib import arguments
from course_lib.loops.windows import image, layout, padded_taps, real_taps, zeros


def avg_pool(x, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, *, count_include_pad=True,
             divisor_override=None, channel_axis=1):  # fmt: skip
    """The mean of each window, as `course_lib.avg_pool`."""
    x, axes, back = image(x, kernel_size, stride, padding, dilation, ceil_mode, channel_axis)
    y = zeros(x, axes, np.float64)
    for sample, channel, *window in np.ndindex(y.shape):
        total = sum(float(x[sample, channel, *element]) for element in real_taps(axes, window))
        y[sample, channel, *window] = total / divisor(axes, window, count_include_pad, divisor_override)
    return back(y.astype(x.dtype))


def divisor(axes, window, count_include_pad, divisor_override):
    """What one window is divided by: never the taps beyond the padded input, and 1 if there are none to count."""
    if divisor_override is not None:
        return divisor_override
    counted = padded_taps(axes, window) if count_include_pad else real_taps(axes, window)
    return max(1, len(list(counted)))


def avg_pool_backward(grad_output, input_shape, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, *,
                      count_include_pad=True, divisor_override=None, channel_axis=1):  # fmt: skip
    """Gives each tap its share of the upstream gradient, as `course_lib.avg_pool_backward`."""
    grad_output = np.moveaxis(grad_output, channel_axis, 1)
    _, first = arguments.channels_first(input_shape, channel_axis)
    axes = arguments.pool_axes(first[2:], kernel_size, stride, padding, dilation, ceil_mode)
    grad_input = np.zeros(first, np.float64)
    for sample, channel, *window in np.ndindex(grad_output.shape):
        share = grad_output[sample, channel, *window] / divisor(axes, window, count_include_pad, divisor_override)
        for element in real_taps(axes, window):
            grad_input[sample, channel, *element] += share
    return layout(grad_input.astype(grad_output.dtype), channel_axis)
