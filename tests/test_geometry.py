"""Sizes and positions by hand, and against the definition of a window."""

from itertools import product

import numpy as np
import pytest

from course_lib import geometry
from course_lib.arguments import pool_axes
from tests.geometries import GEOMETRIES, geometry_id

SIZES = [
    # size, kernel, stride, before, after, dilation, ceil_mode, windows
    (4, 2, 2, 0, 0, 1, False, 2),
    (5, 2, 2, 0, 0, 1, False, 2),
    (5, 2, 2, 0, 0, 1, True, 3),
    (5, 2, 2, 1, 1, 1, True, 3),  # a fourth window would start in the padding after
    (32, 1, 2, 0, 0, 1, True, 16),
    (9, 4, 4, 2, 2, 1, True, 3),
    (4, 3, 2, 0, 0, 2, False, 0),  # a true floor: truncation would say 1
    (7, 3, 2, 1, 1, 2, False, 3),
    (3, 2, 1, 0, 2, 1, False, 4),
]


@pytest.mark.parametrize("row", SIZES)
def test_output_size_by_hand(row):
    assert geometry.output_size(*row[:-1]) == row[-1]


@pytest.mark.parametrize(("lower", "expected"), [(False, (1, 2)), (True, (2, 1))])
def test_same_padding_puts_the_larger_half_on_its_side(lower, expected):
    assert geometry.same_padding(7, kernel=4, stride=1, lower=lower) == expected


def test_same_padding_gives_a_window_for_every_stride():
    for size, kernel, stride, dilation in product(range(1, 9), range(1, 6), range(1, 4), range(1, 4)):
        before, after = geometry.same_padding(size, kernel, stride, dilation)
        assert geometry.output_size(size, kernel, stride, before, after, dilation) == -(-size // stride)


@pytest.mark.parametrize("entry", GEOMETRIES, ids=geometry_id)
def test_tap_slices_pair_every_window_with_the_element_it_reads(entry):
    for axis in pool_axes(entry.size, **entry.arguments):
        positions, real = geometry.tap_positions(axis), geometry.is_real(axis)
        for tap in range(axis.kernel):
            windows, elements = geometry.tap_slices(axis, tap)
            np.testing.assert_array_equal(np.arange(axis.output)[windows], np.flatnonzero(real[:, tap]))
            np.testing.assert_array_equal(np.arange(axis.size)[elements], positions[real[:, tap], tap])


@pytest.mark.parametrize("entry", GEOMETRIES, ids=geometry_id)
def test_axis_coverage_counts_real_taps(entry):
    for axis in pool_axes(entry.size, **entry.arguments):
        assert geometry.axis_coverage(axis).sum() == geometry.real_counts(axis).sum()


def test_divisors_leave_the_ceil_overhang_out():
    (axis,) = pool_axes((5,), 2, ceil_mode=True)
    np.testing.assert_array_equal(geometry.divisors((axis,)), [2, 2, 1])


def test_divisors_cannot_be_written():
    assert not geometry.divisors(pool_axes((4,), 2)).flags.writeable


def test_adaptive_windows_overlap_where_the_size_does_not_divide():
    starts, stops = geometry.adaptive_windows(7, 3)
    np.testing.assert_array_equal(starts, [0, 2, 4])
    np.testing.assert_array_equal(stops, [3, 5, 7])
