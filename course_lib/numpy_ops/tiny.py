"""The direct path for small inputs, where preparing anything takes longer than the work: all taps are taken at once.

Arrays are (planes, *spatial, 1).
"""

from functools import lru_cache
from math import prod

import numpy as np

from course_lib import geometry
from course_lib.numpy_ops import tap_by_tap

# Taps of all windows together up to which this is the fastest.
TAPS = 2**15


@lru_cache(maxsize=256)
def suits(planes, axes):
    """Whether the windows of so many planes have few taps in all, and each has a real one."""
    taps = planes * prod(axis.output * axis.kernel for axis in axes)
    return 0 < taps <= TAPS and all(geometry.real_counts(axis).min() > 0 for axis in axes)


def winners(x, axes, lowest, return_indices):
    """Values and flat positions of the largest elements; None for positions that nobody asks for."""
    places, positions, begins = places_of_winners(axes, len(x))
    values = x.reshape(-1).take(places)
    chosen = values.argmax(axis=1)
    np.add(chosen, begins, out=chosen)
    y = values.reshape(-1).take(chosen)
    # The least value is NaN if any is, and argmax has the first NaN where the last is wanted.
    lowest_of_all = np.minimum.reduce(y)
    if lowest_of_all != lowest_of_all:
        return tap_by_tap.winners(x, axes, lowest, return_indices)
    shape = len(x), *(axis.output for axis in axes), 1
    return y.reshape(shape), positions.take(chosen).reshape(shape) if return_indices else None


@lru_cache(maxsize=8)
def places_of_winners(axes, planes):
    """The taps of each window as places in all planes, their positions in the plane, and where each window's begin."""
    positions, real = taps_of_windows(axes)
    # A tap on padding stands for the first real tap: once more the same element is never the first of equals.
    firsts = np.take_along_axis(positions, real.argmax(axis=1)[:, None], axis=1)
    positions = np.where(real, positions, firsts)
    places = in_all_planes(axes, positions, planes)
    return places, np.tile(positions, (planes, 1)).reshape(-1), np.arange(len(places)) * places.shape[1]


def taps_of_windows(axes):
    """The position of each tap in the plane, (windows, taps), and whether it is real."""
    positions, real = np.zeros((1, 1), np.int64), np.ones((1, 1), bool)
    for axis in axes:
        ours, inside = geometry.tap_positions(axis), geometry.is_real(axis)
        shape = len(positions) * len(ours), -1
        positions = (positions[:, None, :, None] * axis.size + ours[:, None]).reshape(shape)
        real = (real[:, None, :, None] & inside[:, None]).reshape(shape)
    return positions, real


def in_all_planes(axes, positions, planes):
    """Positions in a plane as places in a stack of planes, one row a window."""
    starts = np.arange(planes) * prod(axis.size for axis in axes)
    return (starts[:, None, None] + positions).reshape(-1, positions.shape[1])


def average(x, axes, divisors):
    """The averages, summed in float64."""
    places = places_of_sums(axes, len(x))
    # The place after the last element is that of all padding.
    elements = np.zeros(x.size + 1)
    with np.errstate(all="ignore"):
        elements[:-1] = x.reshape(-1)
        sums = np.add.reduce(elements.take(places), axis=1).reshape(len(x), *divisors.shape, 1)
        return (sums / divisors[..., None]).astype(x.dtype)


def spread(grad_output, axes, divisors):
    """The transpose of `average`: each share is added at all taps of its window."""
    places = places_of_sums(axes, len(grad_output))
    shape = len(grad_output), *(axis.size for axis in axes), 1
    grad_input = np.zeros(prod(shape) + 1)
    with np.errstate(all="ignore"):
        shares = np.divide(grad_output, divisors[..., None], dtype=np.float64)
        np.add.at(grad_input, places.reshape(-1), np.repeat(shares.reshape(-1), places.shape[1]))
        return grad_input[:-1].astype(grad_output.dtype).reshape(shape)


@lru_cache(maxsize=8)
def places_of_sums(axes, planes):
    """The taps of each window as places in all planes; padding stands after the last of them."""
    positions, real = taps_of_windows(axes)
    places = in_all_planes(axes, positions, planes)
    return np.where(np.tile(real, (planes, 1)), places, planes * prod(axis.size for axis in axes))
