"""Sums of evenly spaced elements at every position of a flat array: what average pooling comes down to, both ways."""

from functools import partial
from typing import NamedTuple

import numpy as np

from course_lib.numpy_ops import memory


class Run(NamedTuple):
    """``count`` elements of a flat array, ``gap`` apart, the first of them ``start`` after a position."""

    start: int
    gap: int
    count: int


def run_through(positions):
    """Evenly spaced positions as a run."""
    gap = positions[1] - positions[0] if len(positions) > 1 else 1
    return Run(positions[0], gap, len(positions))


def add_runs(source, runs, length):
    """The calls that add up the elements of all runs for ``length`` positions, and where the sums will stand."""
    calls, total = add_run(source, runs[0], length)
    for run in runs[1:]:
        more, part = add_run(source, run, length)
        own = [array for array in (total, part) if not np.may_share_memory(array, source)]
        into = own[0] if own else memory.empty((length,), source.dtype)
        calls += [*more, partial(np.add, total, part, out=into)]
        total = into
    return calls, total


def add_run(source, run, length):
    """`add_runs` for one run: a sum of n elements is two of n / 2, so that k elements take about log2(k) calls."""
    calls, width, sums, spare = [], 1, source[run.start :], None
    # The digits of the count in base 2, after the first: each doubles the width, and a 1 adds one element more.
    for digit in f"{run.count:b}"[1:]:
        reach = length + (run.count - 2 * width) * run.gap
        into = memory.empty((reach,), source.dtype) if spare is None else spare[:reach]
        calls.append(partial(np.add, sums[:reach], sums[width * run.gap :][:reach], out=into))
        spare, sums, width = None if width == 1 else sums, into, 2 * width
        if digit == "1":
            sums = sums[: reach - run.gap]
            calls.append(partial(np.add, sums, source[run.start + width * run.gap :][: len(sums)], out=sums))
            width += 1
    return calls, sums[:length]


def roundings(runs):
    """The most additions that an element passes through in `add_runs`."""
    return max(run.count.bit_length() + run.count.bit_count() - 2 for run in runs) + len(runs) - 1
