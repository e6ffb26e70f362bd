"""Average pooling one axis after another, on flat arrays: at most k + k additions a window, where taps are k · k."""

from functools import partial
from math import prod
from typing import NamedTuple

import numpy as np

from course_lib.numpy_ops import memory, shifts
from course_lib.numpy_ops.blocks import blocks, budget, share, turn
from course_lib.numpy_ops.sums import add_runs, roundings, run_through

# Each addition may be wrong by half an ε of the sum, and the sum by 2 ε.
FLOAT32_ADDITIONS = 4
# Positions for each window up to which all are divided in one flat call.
FLAT = 4


class Program(NamedTuple):
    """All calls that average one block, prepared once: a further block then costs little more than its arithmetic."""

    copies: list
    steps: list
    sums: np.ndarray  # at all positions, flat
    windows: shifts.Windows  # which of them are sums of windows


def average(x, axes, divisors, *, planes_last=False, dealt=True, elements=None):
    """The averages of ``x`` (planes, *spatial, lanes). The keywords are those of `max_separable.winners`."""
    y = memory.empty((x.shape[0], *divisors.shape, x.shape[-1]), x.dtype)
    prepare = prepare_dealt if dealt else prepare_undealt
    work = partial(average_blocks, x, y, one_if_equal(divisors), prepare, planes_last)
    workers, elements = budget(x.size, elements)
    parts = blocks(x.shape[0], axes, x.shape[-1], elements)
    try:
        share(partial(work, sum_dtype(x.dtype, axes)), parts, workers)
        return y
    except FloatingPointError:
        # Some sum overflows float32: of a window, or of numbers that meet at the end of a row and that no window holds.
        # Which of the latter there are depends on the blocks, so the averages themselves are asked.
        share(partial(work, np.dtype(np.float32), raises="ignore"), parts, workers)
    narrow, y = y, memory.empty(y.shape, y.dtype)
    share(
        partial(average_blocks, x, y, one_if_equal(divisors), prepare, planes_last, np.dtype(np.float64)),
        parts,
        workers,
    )
    return y if (np.isinf(narrow) & np.isfinite(y)).any() else narrow


average_lanes = partial(average, planes_last=True)
average_undealt = partial(average, dealt=False)


def sum_dtype(dtype, axes):
    """Float32 for float16, and where so few additions follow each other that it is precise enough; else float64."""
    additions = sum(roundings(runs(axis, shifts.deal(axis), 0, 1)) for axis in axes)
    narrow = dtype == np.float16 or (dtype == np.float32 and additions <= FLOAT32_ADDITIONS)
    return np.dtype(np.float32 if narrow else np.float64)


def one_if_equal(divisors):
    """A single number if all are equal; else one for each window, with an axis for lanes."""
    equal = not any(divisors.strides) or divisors.min() == divisors.max()
    return divisors.reshape(-1)[0] if equal else divisors[..., None]


def average_blocks(x, y, divisor, prepare, planes_last, dtype, parts, raises="raise"):
    """Averages one block after another in the same memory."""
    programs, axes, program = {}, None, None
    # Where windows run over the end of a row, numbers meet that should not. That must not warn.
    with np.errstate(all="ignore", over=raises if dtype == np.float32 else "ignore"):
        for part in parts:
            block = turn(x[part.planes, *part.inputs], planes_last)
            out = turn(y[part.planes, *part.outputs], planes_last)
            divide_by = divisor[part.outputs] if divisor.ndim else divisor
            if part.axes is not axes:
                axes = part.axes
                program = programs[axes] = programs.get(axes) or prepare(axes, block.shape, dtype)
            run(program, block, divide_by, out)


def prepare_dealt(axes, shape, dtype):
    """A program for blocks of one shape. From first axis to last, the sums of one pass are dealt for the next."""
    copies, steps, windows, shape = None, [], None, list(shape)
    for number, axis in enumerate(axes, 1):
        deal = shifts.deal(axis)
        shape[number] = deal.length
        parts, calls, sums = sum_along(axis, deal, number, tuple(shape), dtype)
        steps += calls if copies is None else [partial(shifts.fill, parts, windows.all()), *calls]
        copies = copies or parts
        index = *(slice(None),) * number, shifts.starts(axis, deal)
        windows = shifts.Windows(sums.reshape(shape), shifts.source(index, len(shape)))
        shape[number] = axis.output
    return Program(copies, steps, sums, windows)


def prepare_undealt(axes, shape, dtype):
    """As `prepare_dealt`, for planes with short rows: rows are not dealt, and sums are formed at every position."""
    layout = shifts.layout(axes, shape[0], shape[-1], dealt=False)
    sums = workspace = memory.zeros((layout.size + sum(layout.tails),), dtype)
    steps = []
    for one in shifts.passes(layout):
        calls, sums = add_runs(sums, runs(one.axis, one.deal, one.size, one.unit), one.length)
        steps += calls
    return Program(shifts.copies(workspace, layout), steps, sums, shifts.windows(layout, sums))


def sum_along(axis, deal, number, shape, dtype):
    """One pass, over positions of this shape: what it copies, what it calls, and where the sums will stand."""
    size, unit = prod(shape), prod(shape[number + 1 :])
    workspace = memory.zeros((deal.phases * size + deal.reach * unit,), dtype)
    calls, sums = add_runs(workspace, runs(axis, deal, size, unit), size)
    return shifts.copies_along(workspace, axis, deal, number, shape), calls, sums


def runs(axis, deal, size, unit):
    """The taps along one axis, a run for each phase."""
    phases = {}
    for tap, start in enumerate(shifts.tap_starts(axis, deal, size, unit)):
        phases.setdefault(tap * axis.dilation % deal.modulus, []).append(start)
    return [run_through(starts) for starts in phases.values()]


def run(program, block, divisor, out):
    """Sums one block and divides the sums."""
    copies, steps, sums, windows = program
    shifts.fill(copies, block)
    for step in steps:
        step()
    if sums.dtype == out.dtype and out.flags.c_contiguous and sums.size == out.size and not divisor.ndim:
        np.divide(sums, sums.dtype.type(divisor), out=out.reshape(-1))
        return
    # Divided before it is written: blocks may share planes, and another thread may be writing the same ones. And
    # before it is rounded to a narrower type. One flat call is faster, also where some of the sums are not wanted.
    divided = sums if not divisor.ndim and sums.size <= FLAT * out.size else windows.all()
    np.divide(divided, divisor.astype(sums.dtype), out=divided)
    windows.copy_to(out)
