"""All windows of one input as arrays, for the recipes. Axes: (N, C, rows, columns, kernel rows, kernel columns)."""

from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from course_lib.geometry import output_size


class Geometry(NamedTuple):
    """Where windows lie. Pairs are (rows, columns); positions count from the first real element."""

    shape: tuple
    kernel: tuple
    stride: tuple
    padding: tuple
    outputs: tuple
    dilation: tuple = (1, 1)
    include: bool = True

    @property
    def padded(self):
        """The padded input's shape."""
        sides = (size + 2 * padding for size, padding in zip(self.shape[2:], self.padding, strict=True))
        return (*self.shape[:2], *sides)

    def positions(self, axis):
        """What each tap reads along one spatial axis, (output, kernel)."""
        starts = np.arange(self.outputs[axis]) * self.stride[axis] - self.padding[axis]
        return starts[:, None] + np.arange(self.kernel[axis]) * self.dilation[axis]

    def taps(self):
        """The row and the column of every tap: two arrays that broadcast to its row and column and those in it."""
        return self.positions(0)[:, None, :, None], self.positions(1)[:, None, :]


class Targets(NamedTuple):
    """The element that each tap stands for: sample, channel, row, column. Arrays that broadcast."""

    sample: np.ndarray
    channel: np.ndarray
    row: np.ndarray
    column: np.ndarray


@dataclass(frozen=True)
class Windows:
    """The windows of one input.

    Attributes
    ----------
    values : ndarray, six axes
        What each tap reads, padding included.
    real, inside : ndarray of bool, four axes
        Whether a tap lies on an element; whether on an element or on its explicit padding.
    grad_output : ndarray
        As it was given.
    geometry : Geometry
    """

    values: np.ndarray
    real: np.ndarray
    inside: np.ndarray
    grad_output: np.ndarray
    geometry: Geometry

    @property
    def upstream(self):
        """The upstream gradient of each window, (N, C, rows, columns, 1, 1)."""
        return self.spread(self.grad_output)

    def spread(self, grad_output):
        """An upstream gradient, with axes for the taps; one that is too small has no elements for the last windows."""
        wanted = self.values.shape[:4]
        if any(there < need for there, need in zip(grad_output.shape, wanted, strict=True)):
            raise IndexError("there are more windows than upstream gradients")
        return grad_output[tuple(slice(size) for size in wanted)][..., None, None]

    @property
    def flat(self):
        """The values with the taps of a window on one axis."""
        return self.values.reshape(*self.values.shape[:4], self.size)

    @property
    def size(self):
        """The number of taps of a window."""
        return self.values.shape[4] * self.values.shape[5]


def pair(value):
    """One int an axis."""
    return tuple(value) if isinstance(value, tuple | list) else (value, value)


def output_shape(shape, kernel_size, stride, padding, ceil_mode=False, count_include_pad=True):
    """The right shape of what pooling gives."""
    axes = zip(shape[2:], pair(kernel_size), pair(stride), pair(padding), strict=True)
    return (*shape[:2], *(output_size(*axis, axis[-1], ceil_mode=ceil_mode) for axis in axes))


def conv_output_shape(x_shape, weight_shape, stride=1, padding=0, dilation=1, groups=1):
    """The right shape of what a convolution gives."""
    axes = zip(x_shape[2:], weight_shape[2:], *map(pair, (stride, padding, padding, dilation)), strict=True)
    return (x_shape[0], weight_shape[0], *(output_size(*axis) for axis in axes))


def cut(x, grad_output, geometry, pad_value, beyond):
    """The windows of an input; what lies beyond its explicit padding reads ``beyond``."""
    rows, columns, real, inside = _reads(geometry)
    values = np.where(real, x[:, :, rows, columns], np.where(inside, pad_value, beyond))
    return Windows(values, real, inside, grad_output, geometry)


# A diagnosis runs the same few inputs thousands of times.
@lru_cache(maxsize=512)
def _reads(geometry):
    """The rows and columns that the taps read, clipped, and which are real and which are inside the padding."""
    (rows, columns), (height, width), (ph, pw) = geometry.taps(), geometry.shape[2:], geometry.padding
    real = (rows >= 0) & (rows < height) & (columns >= 0) & (columns < width)
    inside = (rows >= -ph) & (rows < height + ph) & (columns >= -pw) & (columns < width + pw)
    return np.clip(rows, 0, height - 1), np.clip(columns, 0, width - 1), real, inside


@lru_cache(maxsize=512)
def targets(geometry):
    """The element that each tap stands for, padding included."""
    sample, channel = np.ogrid[: geometry.shape[0], : geometry.shape[1]]
    return Targets(sample[..., None, None, None, None], channel[..., None, None, None, None], *geometry.taps())


def flat_targets(where, geometry):
    """The flat index of each target in the padded input, six axes; its size for what lies outside."""
    samples, channels, height, width = geometry.padded
    row, column = where.row + geometry.padding[0], where.column + geometry.padding[1]
    outside = (row < 0) | (row >= height) | (column < 0) | (column >= width)
    index = ((where.sample * channels + where.channel) * height + row) * width + column
    return np.where(outside, samples * channels * height * width, index)
