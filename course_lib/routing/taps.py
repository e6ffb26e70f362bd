"""Tables of what every window reads: flat positions in the plane, and which taps are real elements."""

import numpy as np

from course_lib import geometry


def window_taps(axes):
    """`plane_taps` of sliding windows."""
    tables = [(geometry.tap_positions(axis), geometry.is_real(axis)) for axis in axes]
    return plane_taps([axis.size for axis in axes], tables)


def bounded_taps(starts, stops):
    """Positions from each start on, and whether they come before the stop, (output, longest window)."""
    positions = starts[:, None] + np.arange((stops - starts).max())
    return positions, positions < stops[:, None]


def plane_taps(sizes, tables):
    """Flat plane position of every tap, and whether it is real: two arrays (windows, taps), taps in row-major order."""
    positions, real = np.zeros((1, 1), np.int64), np.ones((1, 1), bool)
    for size, (steps, inside) in zip(sizes, tables, strict=True):
        positions = combine(positions * size, np.where(inside, steps, 0), np.add)
        real = combine(real, inside, np.logical_and)
    return positions, real


def combine(left, right, operation):
    """All windows × windows and taps × taps of two (windows, taps) tables, in row-major order."""
    table = operation(left[:, None, :, None], right[None, :, None, :])
    return table.reshape(len(left) * len(right), -1)
