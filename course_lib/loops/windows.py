"""What the loops share: the layout of the input, and a walk over one window."""

from itertools import product

import numpy as np

from course_lib import arguments


def image(x, kernel_size, stride, padding, dilation, ceil_mode, channel_axis):
    """The input as (N, C, *spatial), its window along each axis, and the function that puts the channels back."""
    axis, first = arguments.image_batch("x", x.shape, channel_axis)
    axes = arguments.pool_axes(first[2:], kernel_size, stride, padding, dilation, ceil_mode)
    return np.moveaxis(x, axis, 1), axes, lambda y: layout(y, axis)


def layout(y, channel_axis):
    """Puts the channel axis back."""
    return np.ascontiguousarray(np.moveaxis(y, 1, channel_axis))


def zeros(x, axes, dtype):
    """An output of zeros."""
    return np.zeros(x.shape[:2] + tuple(axis.output for axis in axes), dtype)


def taps(axes, window):
    """The position of every tap of one window, in row-major order, padding included."""
    for tap in product(*(range(axis.kernel) for axis in axes)):
        yield tuple(
            number * axis.stride - axis.before + offset * axis.dilation
            for axis, number, offset in zip(axes, window, tap, strict=True)
        )


def real_taps(axes, window):
    """Those taps of one window that lie on an element."""
    for element in taps(axes, window):
        if all(0 <= position < axis.size for axis, position in zip(axes, element, strict=True)):
            yield element


def padded_taps(axes, window):
    """Those taps of one window that lie on an element or on its explicit padding."""
    for element in taps(axes, window):
        if all(position < axis.size + axis.after for axis, position in zip(axes, element, strict=True)):
            yield element


def plane_position(axes, element):
    """The flat position of an element in its plane, in row-major order."""
    position = 0
    for axis, coordinate in zip(axes, element, strict=True):
        position = position * axis.size + coordinate
    return position
