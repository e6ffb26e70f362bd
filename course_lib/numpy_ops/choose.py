"""The questions by which a technique is chosen. The tables that ask them stand with each operation.

Each question is asked of an array (planes, *spatial, lanes) and the windows along its spatial axes.
"""

from math import prod

import numpy as np

from course_lib.numpy_ops import tiny

# A row shorter than this is rather treated whole than dealt: each copy of a part of a row costs a few nanoseconds more.
SHORT_ROW = 64
# Planes smaller than this may lie side by side as lanes, if so many of them do that lanes are longer than rows.
SMALL_ROW, SMALL_PLANE, MANY_PLANES = 28, 1024, 64


def nothing_to_compare(array, axes):
    """No planes at all, or windows of one tap."""
    return not len(array) or all(axis.kernel == 1 for axis in axes)


def few_taps(array, axes):
    """So little work that preparing anything takes longer."""
    return array.shape[-1] == 1 and tiny.suits(len(array), axes)


def whole_plane(array, axes):
    """One window, in which every element of the plane is a tap."""
    fits = all(axis.output == 1 and axis.dilation == 1 and covers(axis) for axis in axes)
    return fits and array.shape[-1] == 1 and array.dtype != np.float16


def covers(axis):
    """Whether the first window of an axis reads all its elements."""
    return axis.before <= axis.kernel - axis.size


def small_planes(array, axes):
    """Many planes with short rows."""
    small = axes[-1].size <= SMALL_ROW and prod(axis.size for axis in axes) <= SMALL_PLANE
    return small and len(array) >= MANY_PLANES and array.shape[-1] == 1


def short_rows(array, axes):
    """Rows of any plane are short, and not many positions are without a window."""
    return axes[-1].size <= SHORT_ROW and prod(axis.stride for axis in axes) <= 4 and array.shape[-1] == 1


def short_rows_of_small_planes(array, axes):
    """Both."""
    return short_rows(array, axes) and small_planes(array, axes)


def anything(array, axes):
    """Always."""
    return True
