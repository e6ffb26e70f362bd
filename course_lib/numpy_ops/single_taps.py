"""Correlation one tap at a time and over real elements only: slow, but no zero of the padding meets an infinite weight.

``x`` is (N, groups, channels, *spatial), ``y`` is (N, groups, rows, *output) and ``weight`` (groups, rows, channels,
*kernel), as in `correlation`. Results are in float64.
"""

from itertools import product

import numpy as np

from course_lib import geometry


def real_taps(axes):
    """For each tap: its place in the kernel, the windows in which it is real, and the elements it reads there."""
    for tap in product(*(range(axis.kernel) for axis in axes)):
        slices = [geometry.tap_slices(axis, number) for axis, number in zip(axes, tap, strict=True)]
        yield (..., *tap), (..., *(pair[0] for pair in slices)), (..., *(pair[1] for pair in slices))


def window_sums(x, weight, axes):
    """Every window of ``x`` times every row of the weights."""
    y = np.zeros((*x.shape[:2], weight.shape[1], *(axis.output for axis in axes)))
    for tap, windows, elements in real_taps(axes):
        y[windows] += np.einsum("grc,ngc...->ngr...", weight[tap], x[elements], dtype=np.float64)
    return y


def element_sums(y, weight, axes):
    """For each element, the windows of ``y`` that hold it times the weight of their tap: the transpose of the above."""
    x = np.zeros((*y.shape[:2], weight.shape[2], *(axis.size for axis in axes)))
    for tap, windows, elements in real_taps(axes):
        x[elements] += np.einsum("grc,ngr...->ngc...", weight[tap], y[windows], dtype=np.float64)
    return x


def weight_moments(x, y, axes):
    """For each weight, the sum of what its tap reads times ``y``."""
    moments = np.zeros((*y.shape[1:3], x.shape[2], *(axis.kernel for axis in axes)))
    for tap, windows, elements in real_taps(axes):
        # The spatial axes are made one: einsum sums only over axes that have a letter.
        read, factors = (part.reshape(*part.shape[:3], -1) for part in (x[elements], y[windows]))
        moments[tap] = np.einsum("ngcs,ngrs->grc", read, factors, dtype=np.float64)
    return moments
