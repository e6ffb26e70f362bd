"""Power-average pooling as plain loops: the specification. Slow on purpose, and written to be read."""

import numpy as np

from course_lib import arguments
from course_lib.loops.windows import image, layout, real_taps, zeros


def lp_pool(x, norm_type, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, *, channel_axis=1):
    """The p-norm of each window, as `course_lib.lp_pool`."""
    power = arguments.norm_order(norm_type)
    x, axes, back = image(x, kernel_size, stride, padding, dilation, ceil_mode, channel_axis)
    y = zeros(x, axes, np.float64)
    for sample, channel, *window in np.ndindex(y.shape):
        y[sample, channel, *window] = norm(x[sample, channel], real_taps(axes, window), power)
    return back(y.astype(x.dtype))


def norm(plane, elements, power):
    """(Σ |x|ᵖ)^(1/p) over some elements; 0 over none."""
    sizes, largest = relative_sizes(plane, elements)
    return largest * sum(size**power for size in sizes) ** (1 / power)


def relative_sizes(plane, elements):
    """The sizes in units of the largest, so that no power overflows, and the unit: 1 if that is 0 or infinite."""
    sizes = [abs(float(plane[element])) for element in elements]
    largest = max(sizes, default=0.0)
    unit = 1.0 if largest in (0.0, np.inf) else largest
    return [size / unit for size in sizes], unit


def lp_pool_backward(grad_output, x, norm_type, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, *,
                     channel_axis=1):  # fmt: skip
    """Sends sign(x) · (|x| / y)ᵖ⁻¹ of the gradient to each tap, as `course_lib.lp_pool_backward`."""
    power = arguments.norm_order(norm_type)
    x, axes, _ = image(x, kernel_size, stride, padding, dilation, ceil_mode, channel_axis)
    grad_output = np.moveaxis(grad_output, channel_axis, 1)
    grad_input = np.zeros(x.shape, np.float64)
    for sample, channel, *window in np.ndindex(grad_output.shape):
        elements = list(real_taps(axes, window))
        sizes, _ = relative_sizes(x[sample, channel], elements)
        y = sum(size**power for size in sizes) ** (1 / power)
        for element, size in zip(elements, sizes, strict=True):
            slope = derivative(float(x[sample, channel, *element]), size, y, power)
            grad_input[sample, channel, *element] += slope * float(grad_output[sample, channel, *window])
    return layout(grad_input.astype(grad_output.dtype), channel_axis)


def derivative(value, size, y, power):
    """How a window's norm changes with one of its elements, from size and norm in one unit; 0 at 0, a corner."""
    return float(np.sign(value)) * (size / y) ** (power - 1) if value != 0 else 0.0
