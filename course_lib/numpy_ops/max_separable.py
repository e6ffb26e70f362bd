"""Max pooling one axis after another, on flat arrays: at most k + k comparisons a window, where taps are k · k."""

from collections.abc import Callable
from functools import cache, partial
from math import prod
from typing import NamedTuple

import numpy as np

from course_lib import geometry
from course_lib.numpy_ops import memory, shifts
from course_lib.numpy_ops.blocks import blocks, budget, share, turn


class Best(NamedTuple):
    """The largest element of each window so far, and its place counted from the window's first tap; flat."""

    values: np.ndarray
    codes: np.ndarray | None

    def part(self, start, length):
        """A stretch of both."""
        stretch = slice(start, start + length)
        return Best(self.values[stretch], None if self.codes is None else self.codes[stretch])


class Task(NamedTuple):
    """What all blocks of one call have in common."""

    axes: tuple
    dtype: np.dtype  # in which values are compared
    lowest: float  # what padding counts as
    weights: tuple  # elements of a plane from one position to the next, for each axis
    planes_last: bool
    dealt: bool


class Scratch(NamedTuple):
    """Memory that each merge uses anew."""

    wins: np.ndarray
    factor: np.ndarray  # the wins as 0 and 1 in the type of the codes
    moved: np.ndarray
    nans: np.ndarray | None


class Calls(NamedTuple):
    """All calls from a filled workspace to the winners, and where they leave them."""

    steps: list
    best: Best  # at all positions
    values: shifts.Windows  # which of them are windows
    codes: shifts.Windows | None


class Program(NamedTuple):
    """What pools blocks of one shape, prepared once: a further block then costs little more than its arithmetic."""

    copies: list
    calls: Calls
    calls_for_nan: Callable  # the same where NaN must win, prepared when it is first needed
    places: tuple | None


def winners(x, axes, lowest, return_indices, *, planes_last=False, dealt=True, elements=None):
    """Values and flat positions of the largest elements; None for positions that nobody asks for.

    Parameters
    ----------
    x : ndarray (planes, *spatial, lanes)
    axes : tuple of geometry.Axis
    lowest : number
        What padding counts as.
    return_indices : bool
    planes_last : bool
        Whether planes are treated as lanes: their shortest run is then as long as there are planes in a block.
    dealt : bool
        Whether axes are dealt into phases. If not, windows are found at every position, also where none starts.
    elements : int or None
        Elements of a block; None means what suits the cache.
    """
    y = memory.empty((x.shape[0], *(axis.output for axis in axes), x.shape[-1]), x.dtype)
    indices = memory.empty(y.shape, np.int64) if return_indices else None
    weights = tuple(prod(x.shape[number + 2 : -1]) for number in range(len(axes)))
    # Float32 holds every float16, and NumPy compares float16 one by one.
    dtype = np.dtype(np.float32) if x.dtype == np.float16 else x.dtype
    task = Task(axes, dtype, lowest, weights, planes_last, dealt)
    workers, elements = budget(x.size, elements)
    share(partial(pool_blocks, task, x, y, indices), blocks(x.shape[0], axes, x.shape[-1], elements), workers)
    return y, indices


winners_of_lanes = partial(winners, planes_last=True)
winners_undealt = partial(winners, dealt=False)


def pool_blocks(task, x, y, indices, parts):
    """Pools one block after another in the same memory."""
    programs, axes, program = {}, None, None
    for part in parts:
        block = turn(x[part.planes, *part.inputs], task.planes_last)
        out = turn(y[part.planes, *part.outputs], task.planes_last)
        if part.axes is not axes:
            axes = part.axes
            program = programs[axes] = programs.get(axes) or prepare(task, axes, block, indices is not None)
        shifts.fill(program.copies, block)
        run(program.calls, out)
        if indices is not None:
            locate(task, program, part, out, turn(indices[part.planes, *part.outputs], task.planes_last))


def prepare(task, axes, block, with_codes):
    """A program for blocks of one shape."""
    layout = shifts.layout(axes, block.shape[0], block.shape[-1], task.dealt)
    workspace = memory.full((layout.size + sum(layout.tails),), task.lowest, task.dtype)
    calls = compose(task, layout, workspace, with_codes)
    calls_for_nan = cache(partial(compose, task, layout, workspace, with_codes, nan=True))
    places = number_places(task, layout) if with_codes else None
    return Program(shifts.copies(workspace, layout), calls, calls_for_nan, places)


def compose(task, layout, workspace, with_codes, nan=False):
    """The calls, axis after axis: the windows along one axis are the elements of the next pass."""
    code = code_dtype(layout.axes, task.weights) if with_codes else None
    scratch = allocate(layout.size // layout.phases[0] + sum(layout.tails), code, nan) if with_codes else None
    best, steps = Best(workspace, None), []
    for one in shifts.passes(layout):
        along = double if one.deal.modulus == 1 and one.axis.kernel > 3 else chain
        for old, new, taps, into in along(best, one, code):
            steps += merge(old, new, taps * one.axis.dilation * task.weights[one.number], into, scratch)
            best = into
        best = best.part(0, one.length)
    return Calls(steps, best, *(None if flat is None else shifts.windows(layout, flat) for flat in best))


def allocate(size, code, nan):
    """Scratch memory for merges of up to so many windows."""
    wins = memory.empty((size,), bool)
    factor = wins.view(np.uint8) if code == np.uint8 else memory.empty((size,), code)
    return Scratch(wins, factor, memory.empty((size,), code), memory.empty((size,), bool) if nan else None)


def code_dtype(axes, weights):
    """The smallest type that counts the elements from a window's first tap to its last."""
    extents = ((axis.kernel - 1) * axis.dilation * weight for axis, weight in zip(axes, weights, strict=True))
    return np.min_scalar_type(sum(extents))


def room(length, like, code):
    """Memory for so many windows."""
    return Best(memory.empty((length,), like.dtype), None if code is None else memory.empty((length,), code))


def chain(best, one, code):
    """Merges one tap after another: (old, new, taps between them, target) of each merge."""
    starts = shifts.tap_starts(one.axis, one.deal, one.size, one.unit)
    first, *others = [best.part(start, one.length) for start in starts]
    into = room(one.length, best.values, code)
    return [(first if tap == 1 else into, new, tap, into) for tap, new in enumerate(others, 1)]


def double(best, one, code):
    """As `chain`, but merges windows of n taps into windows of 2 n: k taps need log2(k) merges. They may overlap."""
    merges, width, gap, spare = [], 1, one.axis.dilation * one.unit, None
    while width < one.axis.kernel:
        taps = min(width, one.axis.kernel - width)
        length = one.length + (one.axis.kernel - width - taps) * gap
        into = spare.part(0, length) if spare else room(length, best.values, code)
        merges.append((best.part(0, length), best.part(taps * gap, length), taps, into))
        best, spare, width = into, None if width == 1 else best, width + taps
    return merges


def merge(old, new, offset, into, scratch):
    """The calls that keep the larger of each two values and its place; of equals the old one.

    Codes grow from tap to tap. So "take the new place where the new value wins" is a product and a maximum, on bytes; a
    masked copy takes twenty times as long.
    """
    if into.codes is not None:
        wins, factor, moved, nans = (None if room is None else room[: into.values.size] for room in scratch)
        yield partial(np.greater, new.values, old.values, out=wins)
        if nans is not None:
            yield partial(np.isnan, new.values, out=nans)
            yield partial(np.logical_or, wins, nans, out=wins)
        if factor.dtype != np.uint8:
            yield partial(np.copyto, factor, wins)
        yield from merge_codes(old.codes, new.codes, factor.dtype.type(offset), into.codes, factor, moved)
    # Not maximum(old, new): of two zeros NumPy returns the second operand, and the first tap's sign is wanted.
    yield partial(np.maximum, new.values, old.values, out=into.values)


def merge_codes(old, new, offset, into, factor, moved):
    """The calls that move a code where the factor is 1; None stands for codes that are all 0."""
    if new is None:
        yield partial(np.multiply, factor, offset, out=into if old is None else moved)
    else:
        yield partial(np.add, new, offset, out=moved)
        yield partial(np.multiply, moved, factor, out=moved)
    if old is not None:
        yield partial(np.maximum, old, moved, out=into)


def run(calls, out):
    """Makes all calls; the last one writes into the output, if windows lie there as they do in the workspace."""
    for step in calls.steps[:-1]:
        step()
    values = calls.best.values
    if values.size == out.size and values.dtype == out.dtype and out.flags.c_contiguous:
        calls.steps[-1](out=out.reshape(-1))
    else:
        calls.steps[-1]()
        calls.values.copy_to(out)


def number_places(task, layout):
    """Memory for positions, and the position of the first tap of each window in a block that begins at 0."""
    shape = layout.block[0], *(axis.output for axis in layout.axes), layout.block[-1]
    number = np.int32 if prod(axis.size for axis in task.axes) < 2**31 else np.int64
    starts = [geometry.window_starts(axis) * weight for axis, weight in zip(layout.axes, task.weights, strict=True)]
    places = memory.empty(shape, number)
    np.copyto(places, outer_sum(starts)[..., None], casting="unsafe")
    return memory.empty(shape, number), places


def outer_sum(rows):
    """Sums of one entry from each row."""
    total = rows[0]
    for row in rows[1:]:
        total = total[..., None] + row
    return total


def locate(task, program, part, out, indices):
    """Turns codes into flat positions; where comparisons said nothing, finds them otherwise."""
    calls, lowest = program.calls, out.min()
    # The least value is NaN if any is: one pass finds both kinds of windows for which "larger" is not the whole rule.
    if lowest != lowest:
        calls = program.calls_for_nan()
        run(calls, out)
    positions, starts = program.places
    calls.codes.copy_to(positions)
    np.add(positions, starts, out=positions)
    begin = sum(cut.start * weight for cut, weight in zip(part.inputs, task.weights, strict=True))
    if begin:
        np.add(positions, begin, out=positions)
    # Written once and whole: blocks may share planes, and another thread may be writing the same ones.
    np.copyto(indices, positions)
    if not lowest > task.lowest:
        np.copyto(indices, first_real_taps(task, part), where=out == task.lowest)


def first_real_taps(task, part):
    """The winner of windows that hold nothing above padding: the first real tap; −1 if there is none."""
    rows = [first_real(*entry) for entry in zip(task.axes, part.outputs, strict=True)]
    positions = outer_sum([first * weight for (first, _), weight in zip(rows, task.weights, strict=True)])
    missing = outer_sum([~real for _, real in rows])
    return np.where(missing, -1, positions)[..., None]


def first_real(axis, windows):
    """Position of the first tap of each window that is no padding before, and whether it is real."""
    starts = geometry.window_starts(axis)[windows]
    taps = np.maximum(-(starts // axis.dilation), 0)
    firsts = starts + taps * axis.dilation
    return firsts, (taps < axis.kernel) & (firsts < axis.size)
