"""The backward of average pooling as sums: each input element adds up the shares of the windows that hold it.

It is `avg_separable` the other way round, one axis after another. The elements of an axis with stride s fall into s
phases, and those of one phase lie in their windows alike: their sums are sums of shifts of one flat array.
"""

from functools import lru_cache, partial
from math import prod
from typing import NamedTuple

import numpy as np

from course_lib.geometry import Axis
from course_lib.numpy_ops import memory
from course_lib.numpy_ops.avg_separable import FLOAT32_ADDITIONS, one_if_equal
from course_lib.numpy_ops.blocks import blocks, budget, share, turn
from course_lib.numpy_ops.sums import add_runs, roundings, run_through

# Phases from which it is faster to write a value many times in a row than to write values many elements apart.
MANY = 6


class Stretch(NamedTuple):
    """Some elements of one axis, and the windows that hold any of them, at positions of an array."""

    windows: tuple  # start and stop
    places: tuple  # of these windows in the array; the rest of it is zero
    length: int  # positions
    reach: int  # from the first window that may hold an element to the last
    phases: tuple


class Phase(NamedTuple):
    """The elements of a stretch that stand alike in their windows."""

    elements: tuple  # start, stop and step
    places: tuple  # the position of each, from which the shifts of its windows count
    shifts: tuple


def spread(grad_output, axes, divisors, *, planes_last=False, elements=None):
    """The gradient (planes, *sizes, lanes) of averages whose upstream gradient is (planes, *outputs, lanes)."""
    sizes = tuple(axis.size for axis in axes)
    grad_input = memory.empty((grad_output.shape[0], *sizes, grad_output.shape[-1]), grad_output.dtype)
    dtype = sum_dtype(grad_output.dtype, axes, divisors)
    work = partial(spread_blocks, grad_output, grad_input, axes, one_if_equal(divisors), dtype, planes_last)
    each_element = tuple(Axis(size, 1, 1, 0, 0, 1, size) for size in sizes)
    workers, elements = budget(grad_input.size, elements)
    share(work, blocks(grad_output.shape[0], each_element, grad_output.shape[-1], elements), workers)
    return grad_input


spread_lanes = partial(spread, planes_last=True)


def sum_dtype(dtype, axes, divisors):
    """As for the forward; and in float32 no sum of shares may be larger than the largest gradient."""
    phases = [stretch(axis, 0, axis.size).phases for axis in axes]
    most = [max(len(phase.shifts) for phase in entries) for entries in phases]
    additions = sum(roundings([run_through(range(count or 1))]) for count in most)
    safe = additions <= FLOAT32_ADDITIONS and np.abs(divisors).min() >= prod(most)
    narrow = dtype == np.float16 or (dtype == np.float32 and safe)
    return np.dtype(np.float32 if narrow else np.float64)


@lru_cache(maxsize=256)
def stretch(axis, low, high):
    """The elements from ``low`` to ``high`` of an axis."""
    reach = (axis.kernel - 1) * axis.dilation // axis.stride
    first, last = ((element + axis.before) // axis.stride for element in (low, high - 1))
    begin, end = (min(max(window, 0), axis.output) for window in (first - reach, last + 1))
    front = begin - (first - reach)
    phases = tuple(phase(axis, number, low, high, first, reach) for number in range(axis.stride))
    return Stretch((begin, end), (front, front + end - begin), last - first + 1 + reach, reach, phases)


def phase(axis, number, low, high, first, reach):
    """The elements whose position in the padded axis leaves this remainder."""
    multiple = -(-(low + axis.before - number) // axis.stride)
    start = multiple * axis.stride + number - axis.before - low
    count = len(range(start, high - low, axis.stride))
    steps = (divmod(tap * axis.dilation, axis.stride) for tap in range(axis.kernel))
    shifts = tuple(sorted(reach - shift for shift, remainder in steps if remainder == number))
    return Phase((start, high - low, axis.stride), (multiple - first, multiple - first + count), shifts)


class Stage(NamedTuple):
    """The work along one axis of one block, prepared once: windows of this axis become elements."""

    workspace: np.ndarray
    windows: np.ndarray  # the part of the workspace where the shares stand; the rest is zero
    steps: list
    results: list  # pairs: some elements, and where their sums stand; None for elements that no window holds
    split: tuple | None  # with all phases as an axis of their own: the shape of the elements


def spread_blocks(grad_output, grad_input, axes, divisor, dtype, planes_last, parts):
    """Fills one block of the gradient after another."""
    programs, place = {}, None
    with np.errstate(all="ignore"):
        for part in parts:
            if part.axes is not place:
                place = part.axes
                seen = [stretch(axis, cut.start, cut.stop) for axis, cut in zip(axes, part.outputs, strict=True)]
                windows, key = tuple(slice(*entry.windows) for entry in seen), tuple(entry[1:] for entry in seen)
            block = turn(grad_output[part.planes, *windows], planes_last)
            stages = programs[key] = programs.get(key) or prepare(seen, block.shape, dtype)
            divide_by = divisor[windows] if divisor.ndim else divisor
            run(stages, block, divide_by, turn(grad_input[part.planes, *part.outputs], planes_last))


def prepare(seen, shape, dtype):
    """The stages for blocks of one shape (planes, *windows, lanes), from the last axis to the first."""
    stages, shape = [], list(shape)
    for number in reversed(range(len(seen))):
        shape[number + 1] = seen[number].length
        stages.append(stage(seen[number], number + 1, tuple(shape), dtype))
        shape[number + 1] = sum(len(range(*one.elements)) for one in seen[number].phases)
    return stages


def stage(seen, axis, shape, dtype):
    """One stage, on an array of this shape with the positions of the stretch along ``axis``."""
    size, unit, before = prod(shape), prod(shape[axis + 1 :]), (slice(None),) * axis
    workspace = memory.zeros((size + seen.reach * unit,), dtype)
    windows = workspace[:size].reshape(shape)[*before, slice(*seen.places)]
    if tiles(seen):
        split = *shape[:axis], windows.shape[axis], len(seen.phases), *shape[axis + 1 :]
        return Stage(workspace, windows, [], [((), np.expand_dims(windows, axis + 1))], split)
    steps, results = [], []
    for one in seen.phases:
        calls, sums = add_shifts(workspace, one.shifts, unit, size)
        steps += calls
        stand = None if sums is None else sums.reshape(shape)[*before, slice(*one.places)]
        results.append(((*before, slice(*one.elements)), stand))
    return Stage(workspace, windows, steps, results, None)


def tiles(seen):
    """Whether many elements in a row have one and the same window each: they are then written together."""
    return len(seen.phases) >= MANY and {(one.places, one.shifts) for one in seen.phases} == {(seen.places, (0,))}


def add_shifts(workspace, shifts, unit, length):
    """The calls that add up the shares of the windows at these shifts, and where the sums will stand."""
    if not shifts:
        return [], None
    return add_runs(workspace, [run_through([shift * unit for shift in shifts])], length)


def run(stages, block, divisor, out):
    """Forms the shares of one block, and hands the sums along each axis to the next stage, at last to the output."""
    first = stages[0]
    np.copyto(first.windows, block, casting="same_kind")
    if divisor.ndim:
        np.divide(first.windows, divisor, out=first.windows)
    else:
        np.divide(first.workspace, first.workspace.dtype.type(divisor), out=first.workspace)
    for one, target in zip(stages, [*(later.windows for later in stages[1:]), out], strict=True):
        for step in one.steps:
            step()
        target = target if one.split is None else target.reshape(one.split)
        for elements, sums in one.results:
            np.copyto(target[elements], 0 if sums is None else sums, casting="same_kind")
