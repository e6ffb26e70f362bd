"""One layout for any channel axis: (planes, *spatial, lanes). Channels are planes as samples are, or lanes."""

import numpy as np


def to_planes(x, axis):
    """The elements as (planes, *spatial, lanes): a view where memory allows it, as it does for NCHW and NHWC."""
    if axis == x.ndim - 1:
        return x
    first = x if axis < 2 else np.moveaxis(x, axis, 1)
    return first.reshape(first.shape[0] * first.shape[1], *first.shape[2:], 1)


def from_planes(y, shape, axis):
    """The result for an input of this shape, with the channels at ``axis``."""
    if axis == len(shape) - 1:
        return y
    if axis < 2:
        return y.reshape(*shape[:2], *y.shape[1:-1])
    return np.ascontiguousarray(np.moveaxis(y.reshape(shape[0], shape[axis], *y.shape[1:-1]), 1, axis))
