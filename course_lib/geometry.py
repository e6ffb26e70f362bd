"""Where windows lie: output sizes, window positions, padding and coverage. Integers only, shared by every backend."""

from functools import lru_cache, reduce
from math import prod
from typing import NamedTuple

import numpy as np


class Axis(NamedTuple):
    """One spatial axis seen by a sliding window. All entries are counts of elements.

    Window ``q`` reads the positions ``q * stride - before + j * dilation`` for ``j = 0 … kernel - 1``, counted from the
    first real element. A position below 0 or from ``size`` on is padding.
    """

    size: int
    kernel: int
    stride: int
    before: int
    after: int
    dilation: int
    output: int


def span(kernel, dilation):
    """Elements from the first to the last tap of a window, both included."""
    return dilation * (kernel - 1) + 1


def output_size(size, kernel, stride, before, after, dilation=1, ceil_mode=False):
    """Number of windows along one axis; below 1 when the window is larger than the padded input.

    With ``ceil_mode`` a last, overhanging window counts if it starts in the input or in the padding before it. This is
    PyTorch's rule (2.13): one window at most is taken back.

    Examples
    --------
    >>> output_size(5, kernel=2, stride=2, before=0, after=0)
    2
    >>> output_size(5, kernel=2, stride=2, before=0, after=0, ceil_mode=True)
    3
    """
    room = size + before + after - span(kernel, dilation)
    if not ceil_mode:
        return room // stride + 1
    windows = -(-room // stride) + 1
    return windows - 1 if (windows - 1) * stride >= size + before else windows


def same_padding(size, kernel, stride, dilation=1, lower=False):
    """Padding (before, after) that gives ``ceil(size / stride)`` windows.

    Of an odd number the larger half comes after, or before if ``lower``: the rule of TensorFlow's "SAME" and of ONNX's
    SAME_UPPER and SAME_LOWER.

    Examples
    --------
    >>> same_padding(4, kernel=2, stride=1)
    (0, 1)
    >>> same_padding(4, kernel=2, stride=1, lower=True)
    (1, 0)
    """
    windows = -(-size // stride)
    total = max((windows - 1) * stride + span(kernel, dilation) - size, 0)
    small, large = total // 2, total - total // 2
    return (large, small) if lower else (small, large)


def window_starts(axis):
    """Position of the first tap of each window, (output,); negative inside the padding before."""
    return np.arange(axis.output, dtype=np.int64) * axis.stride - axis.before


def tap_positions(axis):
    """Position of every tap, (output, kernel)."""
    return window_starts(axis)[:, None] + np.arange(axis.kernel, dtype=np.int64) * axis.dilation


def is_real(axis):
    """Whether each tap lies on a real element, bool (output, kernel)."""
    positions = tap_positions(axis)
    return (positions >= 0) & (positions < axis.size)


def tap_slices(axis, tap):
    """The windows whose tap number ``tap`` is real, and the elements it reads there: two slices of equal length.

    Examples
    --------
    A window of 3 with stride 2 over 5 elements padded by 1: tap 0 of the first window is padding.

    >>> tap_slices(Axis(size=5, kernel=3, stride=2, before=1, after=1, dilation=1, output=3), tap=0)
    (slice(1, 3, None), slice(1, 4, 2))
    """
    offset = tap * axis.dilation - axis.before
    first = max(0, -(offset // axis.stride))
    stop = max(first, min(axis.output, (axis.size - 1 - offset) // axis.stride + 1))
    start = first * axis.stride + offset
    end = start + (stop - first - 1) * axis.stride + 1 if stop > first else start
    return slice(first, stop), slice(start, end, axis.stride)


def side_by_side(axis):
    """Whether each element lies in one window, and windows hold no padding."""
    fits = axis.kernel == axis.stride and axis.dilation == 1 and axis.before == 0
    return fits and axis.size == axis.kernel * axis.output


def taps_before(axis, position):
    """How many taps of each window stand before a position, (output,)."""
    return np.clip(-((window_starts(axis) - position) // axis.dilation), 0, axis.kernel)


def real_counts(axis):
    """How many taps of each window are real, (output,)."""
    return taps_before(axis, axis.size) - taps_before(axis, 0)


def padded_counts(axis):
    """How many taps of each window lie in the input or its explicit padding, (output,); a ceil overhang does not."""
    return taps_before(axis, axis.size + axis.after)


@lru_cache(maxsize=256)
def divisors(axes, count_include_pad=True, divisor_override=None):
    """What each average is divided by, read-only, of the output's spatial shape.

    A window without a real tap has the divisor 1 where it would be 0: its sum is 0, and so is its average.
    """
    shape = tuple(axis.output for axis in axes)
    if divisor_override is not None:
        return np.broadcast_to(np.int64(divisor_override), shape)
    counts = [padded_counts(axis) if count_include_pad else real_counts(axis) for axis in axes]
    if all(count.min() == count.max() for count in counts):
        # One number takes no memory, however many windows there are.
        return np.broadcast_to(np.int64(max(prod(count[0] for count in counts), 1)), shape)
    result = np.maximum(reduce(np.multiply.outer, counts), 1)
    result.setflags(write=False)
    return result


def axis_coverage(axis):
    """How many windows hold each element of one axis, (size,)."""
    starts = np.arange(axis.output, dtype=np.int64) * axis.stride
    ends = starts + axis.kernel * axis.dilation
    length = max(axis.before + axis.size, (axis.output - 1) * axis.stride + axis.kernel * axis.dilation + 1)
    rows = -(-length // axis.dilation)
    # A window begins to hold elements at its start and ends after its last tap: running sums count the windows between.
    changes = np.bincount(starts, minlength=rows * axis.dilation)
    changes[ends] -= 1
    held = changes.reshape(rows, axis.dilation).cumsum(axis=0).ravel()
    return held[axis.before : axis.before + axis.size]


def coverage(axes):
    """How many windows hold each element of the input plane, of the input's spatial shape.

    Examples
    --------
    >>> coverage((Axis(size=5, kernel=3, stride=2, before=0, after=0, dilation=1, output=2),))
    array([1, 1, 2, 1, 1])
    """
    return reduce(np.multiply.outer, [axis_coverage(axis) for axis in axes])


def adaptive_windows(size, output):
    """Starts and stops of the bins of adaptive pooling, two arrays of shape (output,).

    Examples
    --------
    >>> adaptive_windows(5, 3)
    (array([0, 1, 3]), array([2, 4, 5]))
    """
    bins = np.arange(output, dtype=np.int64)
    return bins * size // output, -(-(bins + 1) * size // output)


def transposed_size(size, kernel, stride, before, after, dilation=1, output_padding=0):
    """Elements that a transposed convolution makes of ``size`` windows along one axis; padding crops.

    Examples
    --------
    >>> transposed_size(3, kernel=3, stride=2, before=1, after=1, output_padding=1)
    6
    """
    return (size - 1) * stride + span(kernel, dilation) - before - after + output_padding


def tap_phases(axis):
    """For each tap: which residue modulo the stride it reads, and from which element of that residue on.

    Tap ``j`` of window ``q`` reads ``stride * (q + shift) + residue``. A list of pairs (residue, shift).

    Examples
    --------
    >>> tap_phases(Axis(size=5, kernel=3, stride=2, before=1, after=1, dilation=1, output=3))
    [(1, -1), (0, 0), (1, 0)]
    """
    offsets = (tap * axis.dilation - axis.before for tap in range(axis.kernel))
    return [(offset % axis.stride, offset // axis.stride) for offset in offsets]


class Phase(NamedTuple):
    """The input elements of one residue modulo the stride, and how the windows that read them look from there."""

    elements: slice
    taps: tuple
    axis: Axis


def input_phases(axis):
    """Splits the elements of an axis by residue; within one, the reading windows are again a sliding window.

    A phase's axis slides with stride 1 over the *windows*: its tap number ``i`` stands for tap ``taps[i]``. Elements
    that no tap can reach have an axis with kernel 0.

    Examples
    --------
    Windows of 3 with stride 2 over 5 elements: elements 0, 2, 4 are read by taps 2 and 0, elements 1 and 3 by tap 1.

    >>> for phase in input_phases(Axis(size=5, kernel=3, stride=2, before=0, after=0, dilation=1, output=2)):
    ...     print(phase.elements, phase.taps, phase.axis.before, phase.axis.output)
    slice(0, 5, 2) (2, 0) 1 3
    slice(1, 5, 2) (1,) 0 2
    """
    phases, found = [], tap_phases(axis)
    for residue in range(min(axis.stride, axis.size)):
        # Descending: the tap that reads furthest ahead belongs to the earliest window.
        taps = tuple(tap for tap in reversed(range(axis.kernel)) if found[tap][0] == residue)
        shifts = [found[tap][1] for tap in taps]
        gap = shifts[0] - shifts[1] if len(taps) > 1 else 1
        count = -(-(axis.size - residue) // axis.stride)
        sliding = Axis(axis.output, len(taps), 1, max(shifts, default=0), 0, gap, count)
        phases.append(Phase(slice(residue, axis.size, axis.stride), taps, sliding))
    return phases
